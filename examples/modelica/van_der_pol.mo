// value y1(2.0) = 1.706167732170465 +- 1.7e-05
// value y2(2.0) = -0.8928097010248165 +- 1.0e-05
model VanDerPol "A stiff oscillator"
  parameter Real eps = 1e-6;
  Real y1(start = 2, fixed = true), y2(start = 0, fixed = true);
equation
  der(y1) = y2;
  eps * der(y2) = (1 - y1 ^ 2) * y2 - y1;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end VanDerPol;
