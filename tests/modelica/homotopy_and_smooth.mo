// value y(1) = 3 +- 1e-7
model M
  Real x(start = 0, fixed = true);
  Real y = homotopy(smooth(1, if x > 0 then 3 * x else 0), x);
equation
  der(x) = 1;
end M;
