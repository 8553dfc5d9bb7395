// value y(0.25) = 0.25 +- 1e-9
// value y(1) = 0.5 +- 1e-9
model M
  Real x(start = 0, fixed = true), y;
equation
  der(x) = 1;
algorithm
  if x < 0.5 then
    y := x;
  else
    y := 0.5;
  end if;
end M;
