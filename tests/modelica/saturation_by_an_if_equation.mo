// value y(0.5) = 0.5 +- 1e-9
// value y(2) = 1 +- 1e-9
// value s(2) = 1.5 +- 1e-7
// events "x > 1" 1
model M
  Real x(start = 0, fixed = true), y, s(start = 0, fixed = true);
equation
  der(x) = 1;
  if x > 1 then
    y = 1;
  else
    y = x;
  end if;
  der(s) = y;
  annotation(experiment(StopTime = 2));
end M;
