// value x[3](1) = 6 +- 1e-9
model M
  Real x[3];
equation
  for i in 1:3 loop
    x[i] = sum(j for j in 1:i);
  end for;
end M;
