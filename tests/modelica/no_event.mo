// value y(1) = 0.5 +- 1e-7
model M
  Real x(start = 0, fixed = true);
  Real y(start = 0, fixed = true);
equation
  der(x) = 1;
  der(y) = noEvent(if x > 2 then 5 else x);
end M;
