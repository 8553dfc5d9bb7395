// value n(0.2) = 0 +- 0
// value n(0.3) = 1 +- 0
// value n(1.4) = 3 +- 0
// events "sample(0.25, 0.5)" 3
model M
  Integer n(start = 0);
equation
  when sample(0.25, 0.5) then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 1.4));
end M;
