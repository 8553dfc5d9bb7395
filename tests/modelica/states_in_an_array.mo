// value x[1](1) = 0.36787944117144233 +- 1e-6
// value x[3](1) = 0.14936120510359183 +- 1e-6
model M
  Real x[3](start = {1, 2, 3}, each fixed = true);
equation
  for i in 1:3 loop
    der(x[i]) = -i * x[i];
  end for;
end M;
