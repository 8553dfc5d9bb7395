// value x[1](1) = 1.4715177646857693 +- 1e-6
// value x[2](1) = 0.5413411329464508 +- 1e-6
model M "whole vectors, with a matrix of parameters"
  parameter Real A[2, 2] = {{-1, 0}, {0, -2}};
  Real x[2](start = {4, 4}, each fixed = true);
equation
  der(x) = A * x;
end M;
