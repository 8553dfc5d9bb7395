// error 4:15 the sizes do not match: 2 x 3 and 2 elements
model M
  parameter Real A[2, 3] = {{1, 2, 3}, {4, 5, 6}}, v[2] = {1, 2};
  Real x[2] = A * v;
equation
end M;
