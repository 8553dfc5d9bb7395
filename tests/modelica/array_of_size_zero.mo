// value x(1) = 1 +- 1e-7
model M "an array without elements has no equations"
  parameter Integer n = 0;
  Real x(start = 0, fixed = true);
  Real v[n](each start = 0, each min = -1);
equation
  der(x) = 1 + sum(v);
  for i in 1:n loop
    v[i] = i;
  end for;
end M;
