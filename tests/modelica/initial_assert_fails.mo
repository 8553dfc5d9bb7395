// outcome not_started
// says 'x' must be small
model M
  Real x;
initial equation
  der(x) = 0;
  assert(x < 1, "'x' must be small");
equation
  der(x) = 2 - x;
end M;
