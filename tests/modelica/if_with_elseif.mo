// value y(0.2) = 1 +- 0
// value y(0.6) = 2 +- 0
// value y(0.9) = 3 +- 0
// value z(1) = 1.9 +- 1e-7
model M
  Real y = if time < 0.5 then 1 elseif time < 0.8 then 2 else 3;
  Real z(start = 0, fixed = true);
equation
  der(z) = y + 0.2;
end M;
