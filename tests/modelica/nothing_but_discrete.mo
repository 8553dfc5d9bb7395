// value n(10) = 10 +- 0
model M "no state at all"
  Integer n(start = 0);
equation
  when sample(0.5, 1) then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 10));
end M;
