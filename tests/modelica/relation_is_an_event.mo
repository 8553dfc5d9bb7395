// instants 1
// instant 0.5 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = if x > 0.5 then 1 else 0;
end M;
