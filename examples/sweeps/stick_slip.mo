model StickSlip "A block on a belt, held by a spring and a damper: it sticks and slips, or it only slips"
  parameter Real mu = 0.3 "coefficient of friction at rest";
  parameter Real v_belt(unit = "m/s") = 0.1 "speed of the belt";
  parameter Real r = 0.6 "what is left of the coefficient at great speed";
  parameter Real v_s(unit = "m/s") = 0.1 "how fast it falls with the speed";
  parameter Real m(unit = "kg") = 1;
  parameter Real k(unit = "N/m") = 100;
  parameter Real c(unit = "N.s/m") = 1;
  parameter Real N(unit = "N") = 10 "force that presses the block on the belt";
  Real x(start = 0, fixed = true, unit = "m") "position of the block";
  Real slip(start = 0, fixed = true, unit = "m/s") "its velocity as seen from the belt, which takes it along at first";
  Real friction(unit = "N");
equation
  der(x) = v_belt + slip;
  m * der(slip) = -k * x - c * (v_belt + slip) + friction;
  friction = -N * mu * (r + (1 - r) * exp(-abs(slip) / v_s)) * sign(slip);
  annotation(experiment(StopTime = 10, Tolerance = 1e-6));
end StickSlip;
