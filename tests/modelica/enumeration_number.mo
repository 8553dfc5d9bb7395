// value y(1) = 2 +- 1e-9
model M
  type Gear = enumeration(low, high);
  parameter Gear g = Gear.high;
  Real y = Integer(g);
equation
end M;
