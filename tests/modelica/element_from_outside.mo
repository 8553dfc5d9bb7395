// parameter p[2] = 5
// value s(1) = 9 +- 0
model M
  parameter Real p[3] = {1, 2, 3};
  Real s = sum(p);
equation
end M;
