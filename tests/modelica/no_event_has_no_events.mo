// instants 0
// value y(1) = 0.5 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = noEvent(if x > 0.5 then x - 0.5 else 0);
end M;
