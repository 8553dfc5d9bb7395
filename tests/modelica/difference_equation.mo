// value z(0.45) = 0.03125 +- 0
model M "z halves at each of five samples"
  discrete Real z(start = 1);
equation
  when sample(0, 0.1) then
    z = pre(z) / 2;
  end when;
  annotation(experiment(StopTime = 0.45));
end M;
