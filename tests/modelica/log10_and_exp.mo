// value y(1) = 3 +- 1e-12
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = log10(100) + log(exp(1));
end M;
