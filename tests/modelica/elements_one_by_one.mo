// value x[1](1) = 1 +- 1e-7
// value x[2](1) = 2.5 +- 1e-7
model M "arrays as compilers write them out"
  Real x[1](start = 0.0, fixed = true);
  Real x[2](start = 2.0, fixed = true);
equation
  der(x[1]) = 1.0;
  der(x[2]) = x[1];
end M;
