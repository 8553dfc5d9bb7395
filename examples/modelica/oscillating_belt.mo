// value x(15.0) = -0.10218550330753193 +- 1.0e-05
// value v(15.0) = 0.10119683759071382 +- 1.0e-05
// instant 0.37031501249479154 +- 1e-06
// instant 1.6977944496208148 +- 1e-06
// instant 4.288320655379724 +- 1e-06
// instant 7.02590371258207 +- 1e-06
// instant 9.771290160291244 +- 1e-06
// instant 12.250165192315828 +- 1e-06
// instant 14.854908486980216 +- 1e-06
model OscillatingBelt "A block on a belt whose speed oscillates"
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
  Real slip = v - (0.2 + 0.1 * sin(2 * time));
equation
  der(x) = v;
  der(v) = -3 * x + (if slip > 0 then -1 / (1 + 3 * slip) else 1 / (1 - 3 * slip));
  annotation(experiment(StopTime = 15, Tolerance = 1e-8));
end OscillatingBelt;
