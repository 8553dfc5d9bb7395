// value a(1) = 1.5 +- 1e-15
// value b(1) = 0.5 +- 1e-15
// value c(1) = -1.5 +- 1e-15
// value d(1) = -1 +- 0
// value e(1) = 2 +- 0
model M
  parameter Real p = 3.5;
  Real a = mod(p, 2), b = mod(-p, 2), c = rem(-p, 2), d = div(-p, 2), e = div(p + 1, 2);
equation
end M;
