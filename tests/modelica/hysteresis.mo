// value on(0.2) = 1 +- 0
// value on(1.2) = 0 +- 0
// value x(0.5) = 0.5 +- 1e-7
model M "a Boolean that remembers"
  Real x(start = 0.0, fixed = true);
  Boolean on(start = true);
equation
  on = x < 0 or pre(on) and x < 1;
  der(x) = if on then 1 else -1;
  annotation(experiment(StopTime = 1.5));
end M;
