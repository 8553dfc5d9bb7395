// value x(10.0) = 0.2750874625761169 +- 1.0e-04
// value y(10.0) = -0.961419205099125 +- 1.0e-04
// value u(10.0) = -4.175598100951729 +- 4.2e-04
// value v(10.0) = -1.1947490545604753 +- 1.2e-04
// value lambda(10.0) = 28.29456720606725 +- 2.8e-03
model Pendulum "A pendulum in Cartesian coordinates: index 3"
  parameter Real g = 9.81;
  Real x(start = 1, fixed = true), y(start = 0);
  Real u(start = 0), v(start = 0, fixed = true);
  Real lambda "force of the rod, per length and mass";
equation
  der(x) = u;
  der(y) = v;
  der(u) = -lambda * x;
  der(v) = -lambda * y - g;
  x ^ 2 + y ^ 2 = 1;
  annotation(experiment(StopTime = 10, Tolerance = 1e-9));
end Pendulum;
