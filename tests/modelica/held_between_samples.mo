// value u(0.35) = 0.3 +- 1e-7
// value u(0.4) = 0.4 +- 1e-7
// value y(1) = 0.45 +- 1e-6
model M "what is sampled stays until the next time: the integral is that of a staircase"
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
  discrete Real u(start = 0);
equation
  der(x) = 1;
  der(y) = u;
  when sample(0, 0.1) then
    u = x;
  end when;
end M;
