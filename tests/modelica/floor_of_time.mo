// value n(0.5) = 0 +- 0
// value n(2.5) = 2 +- 0
// value y(2.5) = 2 +- 1e-9
// value saw(2.5) = 0.5 +- 1e-9
model M "rounding changes at events"
  Real x(start = 0, fixed = true);
  Integer n = integer(x);
  Real y = floor(x), saw = mod(x, 1);
equation
  der(x) = 1;
  annotation(experiment(StopTime = 2.7));
end M;
