model Heater
  parameter Real setpoint = 20;
  Real T(start = 15, fixed = true);
  Real heat;
  Real cost;
equation
  der(T) = heat - 0.1 * T;
  if T < setpoint then
    heat = 5;
    cost = 2 * heat;
  else
    heat = 0;
  end if;
end Heater;
