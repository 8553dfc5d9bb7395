// value x1(0.05) = 0.0 +- 1.0e-05
// value x2(0.05) = 3.820718828433918 +- 3.8e-05
// value x3(0.05) = 3.820718828433918 +- 3.8e-05
// value v1(0.05) = -100.0 +- 1.0e-03
// value v2(0.05) = 100.0 +- 1.0e-03
// value v3(0.05) = 83.33333333333333 +- 8.3e-04
// instant 0.005 +- 1e-06
// instant 0.006662002216900565 +- 1e-06
// instant 0.015 +- 1e-06
// instant 0.017544832750479505 +- 1e-06
// instant 0.025 +- 1e-06
// instant 0.027897068615958254 +- 1e-06
// instant 0.035 +- 1e-06
// instant 0.03806205303882121 +- 1e-06
// instant 0.045 +- 1e-06
// instant 0.048142873496871144 +- 1e-06
model CarverCircuit "Two diodes that feed one load, with the conditions of the manual of DSL48SE"
  parameter Real a1 = 12, a2 = 0.24, a3 = 12, a4 = 0.24, a5 = 13.64, a6 = -11.64, a7 = -50, a8 = 0;
  parameter Real a9 = -11.64, a10 = 13.64, a11 = 0, a12 = -50, r3 = 10, l3 = 0.2;
  constant Real pi = 3.141592653589793;
  Real x1(start = 0, fixed = true), x2(start = 0, fixed = true) "currents of the diodes";
  Real x3 "of the load";
  Real v1(start = 100, nominal = 100), v2(start = -100, nominal = 100), v3(start = 83, nominal = 100);
  Real z3(nominal = 100), z4(nominal = 100);
  Boolean first = (x1 > 0 or v1 > v3) and (x2 <= 0 and v2 < v3) "conducts alone";
  Boolean second = (x2 > 0 or v2 > v3) and (x1 < 0 and v1 < v3) "conducts alone";
equation
  x1 + x2 - x3 = 0;
  r3 * (x1 + x2) + l3 * (der(x1) + der(x2)) - v3 = 0;
  v1 = 100 * cos(100 * pi * time);
  v1 + v2 = 0;
  z3 = v1 - v3;
  z4 = v2 - v3;
  if first then
    der(x1) = (v1 - a1 * x1) / a2;
    der(x2) = 0;
  elseif second then
    der(x1) = 0;
    der(x2) = (v2 - a3 * x2) / a4;
  else
    der(x1) = a5 * v1 + a6 * v2 + a7 * x1 + a8 * x2;
    der(x2) = a9 * v1 + a10 * v2 + a11 * x1 + a12 * x2;
  end if;
  annotation(experiment(StopTime = 0.05, Tolerance = 1e-8));
end CarverCircuit;
