// value v[3](1) = 9 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real v[3];
equation
  der(x) = 1;
  v = {i * i for i in 1:3};
end M;
