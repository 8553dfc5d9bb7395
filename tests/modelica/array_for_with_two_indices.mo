// value a[2,3](1) = 5 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real a[2, 3];
equation
  der(x) = 1;
  for i in 1:2, j in 1:3 loop
    a[i, j] = i + j;
  end for;
end M;
