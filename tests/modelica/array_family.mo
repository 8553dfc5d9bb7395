// value u[1](0.1) = 0 +- 1e-9
// value u[4](0.1) = 1 +- 1e-9
// value total(0) = 1 +- 1e-9
model M "heat in a rod"
  parameter Integer n = 4;
  Real u[n](start = {0, 0, 0, 1}, each fixed = true);
  Real total = sum(u);
equation
  der(u[1]) = 0;
  for i in 2:n - 1 loop
    der(u[i]) = u[i - 1] - 2 * u[i] + u[i + 1];
  end for;
  der(u[n]) = 0;
end M;
