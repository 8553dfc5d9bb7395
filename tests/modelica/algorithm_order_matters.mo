// value y(1) = 3 +- 1e-9
model M
  Real y;
algorithm
  y := 1;
  y := y + 2;
equation
end M;
