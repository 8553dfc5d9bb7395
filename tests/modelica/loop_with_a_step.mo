// value a(1) = 9 +- 0
// value b(1) = 6 +- 0
model M
  Real x[5];
  Real a = x[1] + x[3] + x[5], b = x[2] + x[4];
equation
  for i in 1:2:5 loop
    x[i] = i;
  end for;
  for i in 4:-2:2 loop
    x[i] = i;
  end for;
end M;
