// value a(1) = 7 +- 0
// value b(1) = -2 +- 0
model M
  parameter Real A[2, 2] = [1, 2; 3, 4];
  Real a = A[1, 2] + A[2, 1] + A[1, 1] * 2;
  Real b = A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1];
equation
end M;
