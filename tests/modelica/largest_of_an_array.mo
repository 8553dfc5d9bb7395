// value a(1) = 3 +- 0
// value b(1) = -1 +- 0
// value c(1) = -6 +- 0
model M
  parameter Real v[3] = {2, -1, 3};
  Real a = max(v), b = min(v), c = product(v);
equation
end M;
