// value v[2](1) = 8 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real v[2];
equation
  der(x) = 1;
  v = {1, 2} .* {3, 4};
end M;
