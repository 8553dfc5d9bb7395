// outcome terminal_event
// value n(0.5) = 7 +- 0
// stop 1
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when time >= 0.5 then
    terminate("enough");
  end when;
  when terminal() then
    n = 7;
  end when;
end M;
