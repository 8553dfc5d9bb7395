// value x(0) = 0.6 +- 1e-10
// value y(0) = -0.8 +- 1e-10
// value v(0) = 0.375 +- 1e-9
model M
  Real x(start = 0.8), y(start = -0.5), u, v, l;
initial equation
  x = 0.6;
  der(x) = 0.5;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -l * x;
  der(v) = -l * y - 9.81;
  x ^ 2 + y ^ 2 = 1;
end M;
