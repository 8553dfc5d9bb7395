// error 6:7 the sizes do not match: 2 elements and 3 elements
model M
  parameter Real a[2] = {1, 2}, b[3] = {1, 2, 3};
  Real x[2];
equation
  x = a ./ b;
end M;
