model Belt
  parameter Real v_belt = 1;
  parameter Real k = 2;
  Real x(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -k * x - sign(v - vbelt);
end Belt;
