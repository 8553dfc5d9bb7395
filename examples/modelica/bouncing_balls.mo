// value y[1](3.5) = 0.02396588033284118 +- 1.0e-04
// value v[1](3.5) = 1.4953930811604128 +- 1.5e-04
// value y[100](3.5) = 0.02396563476601915 +- 1.0e-04
// value v[100](3.5) = 1.4953947861347792 +- 1.5e-04
model BouncingBalls "A hundred balls on springs, whose events are less than a nanosecond apart"
  parameter Integer n = 100;
  parameter Real g = 9.81, k = 1e4, c = 10, dy = 1e-9;
  Real y[n](start = {1 + (i - 1) * dy for i in 1:n}, each fixed = true);
  Real v[n](each start = 0, each fixed = true);
equation
  for i in 1:n loop
    der(y[i]) = v[i];
    der(v[i]) = if y[i] < 0 then -g - k * y[i] - c * v[i] else -g;
  end for;
  annotation(experiment(StopTime = 3.5, Tolerance = 1e-9));
end BouncingBalls;
