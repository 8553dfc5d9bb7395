// value x(15.0) = -0.11640434646191249 +- 1.0e-05
// value v(15.0) = 0.2 +- 1.0e-05
// instant 0.26758120390240786 +- 1e-06
// instant 1.808917375774515 +- 1e-06
// instant 4.448860117027849 +- 1e-06
// instant 6.955507716841753 +- 1e-06
// instant 9.595450458095087 +- 1e-06
// instant 12.102098057908991 +- 1e-06
// instant 14.742040799162325 +- 1e-06
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
