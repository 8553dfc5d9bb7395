// value a(1) = 5 +- 0
// value b(1) = 3 +- 0
// value c(1) = 1.5 +- 1e-15
// value d(1) = 8 +- 0
// value e(1) = 6 +- 0
model M
  parameter Real I[3, 3] = identity(3), d3[2, 2] = diagonal({1, 4}), l[5] = linspace(1, 2, 5);
  Real a = sum(d3), b = sum(I), c = l[3], d = sum(fill(2.0, 2, 2)) + sum(zeros(3)), e = sum(ones(2, 3));
equation
end M;
