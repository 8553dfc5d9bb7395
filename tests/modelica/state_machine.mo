// value state(0.5) = 1 +- 0
// value state(1.5) = 2 +- 0
// value state(2.5) = 3 +- 0
// value state(3.5) = 1 +- 0
model M "an Integer that an equation gives, from what it was"
  Real x(start = 0, fixed = true);
  Integer state(start = 1);
equation
  der(x) = 1;
  state = if pre(state) == 1 and x > 1 and x < 3 then 2
    elseif pre(state) == 2 and x > 2 then 3
    elseif pre(state) == 3 and x > 3 then 1
    else pre(state);
  annotation(experiment(StopTime = 3.5));
end M;
