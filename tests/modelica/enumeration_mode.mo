// value x(2) = 0.5 +- 1e-7
// value mode(2) = 2 +- 0
model M
  type Mode = enumeration(up, down "and down again");
  Mode mode(start = Mode.up);
  Real x(start = 0, fixed = true);
equation
  der(x) = if mode == Mode.up then 1 else -0.5;
  when x > 1 then
    mode = Mode.down;
  end when;
  annotation(experiment(StopTime = 2));
end M;
