model Tank
  parameter Real area = 2;
  parameter Real inflow = 0.5;
  Real level(start = 1, fixed = true);
  Real outflow;
equation
  area * der(level) = inflow - outflow;
end Tank;
