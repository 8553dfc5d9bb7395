// error 6:3 the two sides have different sizes: 2 elements and 3 elements
model M
  Real a[2];
  parameter Real b[3] = {1, 2, 3};
equation
  a = b;
end M;
