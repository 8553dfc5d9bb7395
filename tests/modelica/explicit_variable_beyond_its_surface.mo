// value root(0.5) = 0.7071067811865476 +- 1e-7
// value root(2) = 0 +- 0
// value sum(2) = 0.6666666666666667 +- 1e-6
// events "depth > 0" 1
// event "depth > 0" 1 +- 1e-7
model M "a root that exists on one side only, also at the event, where depth is -1e-17 or so"
  Real x(start = 1, fixed = true), sum(start = 0, fixed = true);
  Real depth = x * (1 + x ^ 2) / (1 + x ^ 2);
  Real root = if depth > 0 then sqrt(depth) else 0;
equation
  der(x) = -1;
  der(sum) = root;
  annotation(experiment(StopTime = 2, Tolerance = 1e-9));
end M;
