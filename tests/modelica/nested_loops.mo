// value A[2,3](1) = 23 +- 1e-9
// value s(1) = 102 +- 1e-9
model M
  Real A[2, 3], s = sum(A);
equation
  for i in 1:2, j in 1:3 loop
    A[i, j] = 10 * i + j;
  end for;
end M;
