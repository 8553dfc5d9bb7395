// error 5:3 the two sides have different sizes: 2 and 3 elements
model M
  Real x[2];
initial equation
  x = {1, 2, 3};
equation
  der(x) = -x;
end M;
