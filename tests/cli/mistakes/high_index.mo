model Pendulum
  parameter Real L = 1;
  Real x(start = 0.6, fixed = true);
  Real y(start = -0.8);
  Real vx(start = 0, fixed = true);
  Real vy;
  Real F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F * x;
  der(vy) = -F * y - 9.81;
  x^2 + y^2 = L^2;
end Pendulum;
