// value y(0.2) = 1 +- 1e-9
// value y(0.5) = 2 +- 1e-9
// value y(0.9) = 3 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  if x < 0.3 then
    y = 1;
  elseif x < 0.7 then
    y = 2;
  else
    y = 3;
  end if;
end M;
