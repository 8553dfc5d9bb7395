// value a(1) = 5 +- 0
// value b(1) = 9 +- 0
// value c(1) = 4 +- 0
model M
  parameter Real v[4] = {1, 2, 3, 4};
  Real a = sum(v[2:3]), b = sum(v[{2, 3, 4}]), c = v[end];
equation
end M;
