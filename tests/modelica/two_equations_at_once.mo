// value x(1) = 2 +- 1e-9
// value y(1) = 1 +- 1e-9
model M "no one of them tells a variable alone; the guess chooses between two solutions"
  Real x(start = 1.8), y(start = 1.2);
equation
  x + y = 3;
  x * y = 2;
end M;
