// value y[1](1) = 5 +- 1e-12
// value y[2](1) = 11 +- 1e-12
// value s(1) = 5 +- 1e-12
model M
  parameter Real A[2, 2] = [1, 2; 3, 4];
  parameter Real b[2] = {1, 2};
  Real y[2] = A * b;
  Real s = b * b;
equation
end M;
