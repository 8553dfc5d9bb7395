// value a(1) = 30 +- 0
// value b(1) = 22 +- 0
model M
  parameter Real v[4] = {i ^ 2 for i in 1:4};
  Real a = sum(v), b = sum(2 * i + v[i] for i in 2:3) - 1;
equation
end M;
