// value y(1) = -4 +- 1e-12
model M "the power binds more strongly"
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = -2^2;
end M;
