// value y(1) = 1 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = smooth(1, if x > 0.5 then x^2 else x^3);
end M;
