// value n(1.05) = 6 +- 0
// value m(1.05) = 3 +- 0
model M "at 0, 0.4 and 0.8 both tick"
  Integer n(start = 0), m(start = 0);
equation
  when sample(0, 0.2) then
    n = pre(n) + 1;
  end when;
  when sample(0, 0.4) then
    m = pre(m) + 1;
  end when;
  annotation(experiment(StopTime = 1.05));
end M;
