// value a(1) = 11 +- 0
// value b(1) = 1 +- 0
// value c(1) = 2 +- 0
model M
  parameter Real u[2] = {1, 2}, v[2] = {3, 4};
  parameter Real w[3] = cross({1, 0, 0}, {0, 1, 0});
  parameter Real A[2, 3] = {{1, 2, 3}, {4, 5, 6}}, B[3, 2] = transpose(A);
  Real a = u * v, b = w[3], c = B[2, 1];
equation
end M;
