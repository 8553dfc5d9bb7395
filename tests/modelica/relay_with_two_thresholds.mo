// value n(4) = 4 +- 0
// value x(4) = 0.5 +- 1e-6
model M "up to 1, down to 0, and so on"
  Real x(start = 0.5, fixed = true);
  discrete Real u(start = 1);
  Integer n(start = 0);
equation
  der(x) = u;
  when {x > 1, x < 0} then
    u = if x > 0.5 then -1 else 1;
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 4));
end M;
