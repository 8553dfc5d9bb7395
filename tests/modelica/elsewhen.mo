// value n(1) = 1 +- 0
// value n(3) = 2 +- 0
// value m(3) = 1 +- 0
model M "both become true at 0.5: the first one wins"
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
  Integer n(start = 0), m(start = 0);
equation
  der(x) = 1;
  der(y) = 1;
  when x > 0.5 then
    n = pre(n) + 1;
    m = 1;
  elsewhen y > 0.5 then
    n = 10;
    m = 2;
  elsewhen time > 2 then
    n = pre(n) + 1;
    m = pre(m);
  end when;
  annotation(experiment(StopTime = 3));
end M;
