// value a(1) = 21 +- 0
// value n(1) = 2 +- 0
// value m(1) = 3 +- 0
// value b(1) = 6 +- 0
model M
  parameter Real A[2, 3] = {{1, 2, 3}, {4, 5, 6}};
  Real a = sum(A), b = A[2, end];
  Integer n = size(A, 1), m = size(A, 2);
equation
end M;
