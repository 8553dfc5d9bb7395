// value u(1) = 10 +- 1e-12
model M
  type Resistance = Real(unit = "Ohm", min = 0);
  type Current = Real(unit = "A");
  parameter Resistance R = 5;
  Current i = 2;
  Real u(unit = "V");
equation
  u = R * i;
end M;
