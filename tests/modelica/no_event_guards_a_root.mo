// value y(1) = 0 +- 1e-12
// value y(0) = 1 +- 0
model M "without an event, and without a root of a negative number"
  Real x(start = 1, fixed = true), y;
equation
  der(x) = -2;
  y = noEvent(if x > 0 then sqrt(x) else 0);
end M;
