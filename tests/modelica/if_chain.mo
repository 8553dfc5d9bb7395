// value y(0.25) = 2 +- 1e-9
// value y(0.75) = 4 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = if x < 0.2 then 1 elseif x < 0.5 then 2 elseif x < 0.7 then 3 else 4;
end M;
