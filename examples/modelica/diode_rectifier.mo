// value v(0.064) = 3.627888968402902 +- 3.6e-05
// value u(0.064) = 0.7563350298886877 +- 1.0e-05
model DiodeRectifier "A real diode that charges a capacitor"
  parameter Real R = 100, load = 10000, C = 1e-5, I_s = 1e-9, V_T = 0.05;
  Real v(start = 0, fixed = true), u, i(nominal = 1e-3);
equation
  C * der(v) = i - v / load;
  5 * sin(100 * 3.141592653589793 * time) = R * i + u + v;
  i = I_s * (exp(u / V_T) - 1);
  annotation(experiment(StopTime = 0.064, Tolerance = 1e-8));
end DiodeRectifier;
