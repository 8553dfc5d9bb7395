// value a[2,1](1) = 3 +- 1e-9
// value s(1) = 10 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real a[2, 2];
  Real s;
equation
  der(x) = 1;
  a = [1, 2; 3, 4];
  s = sum(a);
end M;
