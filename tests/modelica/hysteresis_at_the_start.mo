// value on(0) = 0 +- 0
// value x(0.5) = 1.5 +- 1e-7
// value on(2.5) = 1 +- 0
model M "what it is at the start follows from its equation, not from its start value"
  Real x(start = 2, fixed = true);
  Boolean on(start = true);
equation
  on = x < 0 or pre(on) and x < 1;
  der(x) = if on then 1 else -1;
  annotation(experiment(StopTime = 2.5));
end M;
