// event "v - v_belt > 0" 0.26758120390240785 +- 1e-7
// event "v - v_belt > 0" 1.808917375774515 +- 1e-7
// event "v - v_belt > 0" 6.955507716841753 +- 1e-6
model BeltStickSlip "A block on a moving belt, held by a spring: it sticks and slips"
  parameter Real k(unit = "N/m") = 3 "stiffness of the spring";
  parameter Real Fs(unit = "N") = 1 "friction at rest";
  parameter Real gamma = 3 "how fast friction falls with the slip velocity";
  parameter Real v_belt(unit = "m/s") = 0.2;
  Real x(start = 0, fixed = true, unit = "m") "position";
  Real v(start = 0, fixed = true, unit = "m/s") "velocity, of a mass of 1 kg";
  Real friction(unit = "N");
equation
  der(x) = v;
  der(v) = -k * x + friction;
  friction = -Fs * sign(v - v_belt) / (1 + gamma * abs(v - v_belt));
  annotation(experiment(StopTime = 15, Tolerance = 1e-8));
end BeltStickSlip;
