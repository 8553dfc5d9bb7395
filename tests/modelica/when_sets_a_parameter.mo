// error 4:18 'p' does not change during a run, but a when-clause sets it
model M
  Real x(start = 0, fixed = true);
  parameter Real p = 1;
equation
  der(x) = 1;
  when x > 0.5 then
    p = 2;
  end when;
end M;
