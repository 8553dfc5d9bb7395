// value x(15.0) = 0.09914885659406719 +- 1.0e-05
// value v(15.0) = 0.2 +- 1.0e-05
// instant 0.6416940745098454 +- 1e-06
// instant 2.924996251290864 +- 1e-06
// instant 5.877741701561854 +- 1e-06
// instant 8.517684442815188 +- 1e-06
// instant 11.024332042629092 +- 1e-06
// instant 13.664274783882426 +- 1e-06
model BeltStickSlip "A block on a moving belt, held by a spring: it sticks and slips"
  parameter Real k(unit = "N/m") = 3 "stiffness of the spring";
  parameter Real Fs(unit = "N") = 1 "friction at rest";
  parameter Real gamma = 3 "how fast friction falls with the slip velocity";
  parameter Real v_belt(unit = "m/s") = 0.2;
  Real x(start = 0, fixed = true, unit = "m") "position";
  Real v(start = 1, fixed = true, unit = "m/s") "velocity, of a mass of 1 kg";
  Real friction(unit = "N");
equation
  der(x) = v;
  der(v) = -k * x + friction;
  friction = -Fs * sign(v - v_belt) / (1 + gamma * abs(v - v_belt));
  annotation(experiment(StopTime = 15, Tolerance = 1e-8));
end BeltStickSlip;
