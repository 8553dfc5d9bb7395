model Tank
  parameter Real area = 2;
  Real level(start = 1, fixed = true, min = 0);
  Real pressure(min = 0, max = 5);
equation
  area * der(level) = -0.1 * pressure;
  pressure = 9.81 * level;
end Tank;
