// value x(0) = 0 +- 1e-9
// value y(0) = -1 +- 1e-9
// value l(0) = 9.81 +- 1e-8
model M
  Real x(start = 0.3), y(start = -0.9), u, v, l(start = 5);
initial equation
  der(u) = 0;
  u = 0;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -l * x;
  der(v) = -l * y - 9.81;
  x ^ 2 + y ^ 2 = 1;
end M;
