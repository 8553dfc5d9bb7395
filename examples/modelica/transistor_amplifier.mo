// value y[1](0.2) = -0.005562145012262275 +- 1.0e-04
// value y[2](0.2) = 3.006522471903043 +- 3.0e-04
// value y[3](0.2) = 2.8499587886081286 +- 2.8e-04
// value y[4](0.2) = 2.9264225362062417 +- 2.9e-04
// value y[5](0.2) = 2.7046178650105546 +- 2.7e-04
// value y[6](0.2) = 2.761837778393144 +- 2.8e-04
// value y[7](0.2) = 4.770927631616773 +- 4.8e-04
// value y[8](0.2) = 1.2369958680915476 +- 1.2e-04
model TransistorAmplifier "IVP Test Set: two transistors, index 1"
  function current "through a transistor"
    input Real voltage;
    output Real i;
  protected
    constant Real beta = 1e-6, UF = 0.026;
  algorithm
    i := beta * (exp(voltage / UF) - 1);
  end current;
  parameter Real Ub = 6, alpha = 0.99, R0 = 1000, R = 9000;
  parameter Real C[5] = {k * 1e-6 for k in 1:5};
  Real y[8](start = {0, 3, 3, 6, 3, 3, 6, 0});
  Real Ue = 0.1 * sin(200 * 3.141592653589793 * time);
  Real i23 = current(y[2] - y[3]), i56 = current(y[5] - y[6]);
equation
  C[1] * (der(y[2]) - der(y[1])) = (y[1] - Ue) / R0;
  C[1] * (der(y[1]) - der(y[2])) = y[2] / R + (y[2] - Ub) / R + (1 - alpha) * i23;
  -C[2] * der(y[3]) = y[3] / R - i23;
  C[3] * (der(y[5]) - der(y[4])) = (y[4] - Ub) / R + alpha * i23;
  C[3] * (der(y[4]) - der(y[5])) = y[5] / R + (y[5] - Ub) / R + (1 - alpha) * i56;
  -C[4] * der(y[6]) = y[6] / R - i56;
  C[5] * (der(y[8]) - der(y[7])) = (y[7] - Ub) / R + alpha * i56;
  C[5] * (der(y[7]) - der(y[8])) = y[8] / R;
  annotation(experiment(StopTime = 0.2, Tolerance = 1e-8));
end TransistorAmplifier;
