// value y(0.2) = 1 +- 1e-9
// value y(1) = 2 +- 1e-9
model M
  type Gear = enumeration(low, high);
  Real x(start = 0, fixed = true);
  Gear g;
  Real y;
equation
  der(x) = 1;
  g = if x < 0.5 then Gear.low else Gear.high;
  y = if g == Gear.high then 2 else 1;
end M;
