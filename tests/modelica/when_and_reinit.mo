// value x(2.5) = 0.5 +- 1e-7
// value n(2.5) = 2 +- 0
// events "when x >= 1" 2
// event "when x >= 1" 1 +- 1e-9
model M "a ramp that starts anew"
  Real x(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = 1;
  when x >= 1 then
    reinit(x, 0);
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 2.5));
end M;
