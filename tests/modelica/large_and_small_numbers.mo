// value a(1) = 1e-300 +- 0
// value b(1) = 1.5e+300 +- 0
// value c(1) = 0.001 +- 0
model M
  Real a = 1e-300, b = 15.e299, c = 1E-3;
equation
end M;
