// value y(0.25) = 0.25 +- 1e-7
// value y(0.75) = 0.25 +- 1e-7
// event "x < 0.5" 0.5 +- 1e-9
model M
  Real x(start = 0, fixed = true), y;
equation
  der(x) = 1;
  if x < 0.5 then
    y = x;
  else
    x + y = 1;
  end if;
end M;
