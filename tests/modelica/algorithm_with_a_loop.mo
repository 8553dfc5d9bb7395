// value s(1) = 10 +- 1e-12
model M
  parameter Real v[4] = {1, 2, 3, 4};
  Real s;
algorithm
  s := 0;
  for i in 1:4 loop
    s := s + v[i];
  end for;
end M;
