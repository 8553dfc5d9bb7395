// value spring.s(1) = 3 +- 1e-7
// value chain[2].s(1) = 6 +- 1e-7
model M
  parameter Real spring.c = 3;
  Real spring.s(start = 0, fixed = true);
  Real chain[2].s = 2 * spring.s;
equation
  der(spring.s) = spring.c;
end M;
