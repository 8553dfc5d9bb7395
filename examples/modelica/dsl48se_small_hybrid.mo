// value x(2.0) = 4.532993336880614 +- 4.5e-05
// instant 0.21921592228980355 +- 1e-06
// instant 0.2758125914734838 +- 1e-06
// instant 1.2663478417960716 +- 1e-06
// instants 3
model SmallHybrid "After the manual of DSL48SE: a surface that is crossed three times"
  parameter Real p = 2.9;
  Real x(start = 0, fixed = true);
equation
  der(x) = if x ^ 3 - 5 * x ^ 2 + 7 * x <= p then 4 - x else 10 - 2 * x;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end SmallHybrid;
