// value long(1) = 1.4142135623730951 +- 1e-7
// value x(1) = 1 +- 1e-7
// value pull(1) = -0.7071067811865476 +- 1e-7
model M "at a guess of zero, 1 / long would not exist"
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
  Real long = sqrt(x ^ 2 + 1);
  Real pull;
equation
  der(x) = v;
  der(v) = 0.5 * sqrt(2) + pull;
  pull = -x / long;
  annotation(experiment(StopTime = 1, Tolerance = 1e-9));
end M;
