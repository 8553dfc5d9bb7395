// value v(1) = -0.7357588823428847 +- 1e-6
model M
  Real x(start = 1, fixed = true), v;
equation
  der(x) = -x;
  v = 2 * der(x);
end M;
