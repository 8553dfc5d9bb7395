// value y1(30.0) = 1.1871194982487585 +- 1.2e-05
// value y2(30.0) = 0.7284052163854174 +- 1.0e-05
// instant 0.7231925400017345 +- 1e-06
// instant 1.4964873980738411 +- 1e-06
// instant 11.083377435225222 +- 1e-06
// instant 16.059329037989823 +- 1e-06
// instant 19.893600856547458 +- 1e-06
// instant 24.86955245931206 +- 1e-06
// instant 28.703824277869696 +- 1e-06
model DisodeP1 "DISODE45, problem 1: friction with a fractional power, which exists on its own side only"
  parameter Real speed = 0.2 "of the surface";
  Real y1(start = -0.75, fixed = true), y2(start = -1 - sin(1.5), fixed = true);
  Real g = y2 - speed - sin(2 * y1);
  Real u;
equation
  u = -sign(g) / (1 + abs(g) ^ 1.5);
  der(y1) = y2 - sin(2 * y1);
  der(y2) = 2 * cos(2 * y1) * (y2 - sin(2 * y1)) - y1 + u;
  annotation(experiment(StopTime = 30, Tolerance = 1e-8));
end DisodeP1;
