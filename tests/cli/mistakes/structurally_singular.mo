model Circuit
  parameter Real R = 10;
  Real u;
  Real i;
  Real p;
equation
  u = 5;
  R * i = u;
  2 * u = R * i + 5;
end Circuit;
