// value a(1) = 2 +- 1e-12
// value b(1) = -3 +- 1e-12
// value c(1) = 1 +- 1e-12
// value d(1) = 3 +- 1e-12
// value e(1) = -2 +- 1e-12
// value f(1) = 2 +- 1e-12
// value g(1) = 0.4636476090008061 +- 1e-12
model M
  parameter Real p = 2.5, q = -2.5;
  Real a = floor(p), b = floor(q), c = mod(7, 3), d = ceil(p), e = div(-5, 2);
  Real f = log10(100), g = atan2(1, 2);
equation
end M;
