// value a(0) = 0.3333333333333333 +- 1e-9
// value b(0) = 0.6666666666666666 +- 1e-9
// value c(0) = 1.6666666666666667 +- 1e-9
// value a(1) = 0.1226264803904808 +- 1e-7
// value d(1) = 0.3678794411714423 +- 1e-7
model M "each of a and b is alone on a side, and depends on the other"
  Real x(start = 1, fixed = true), a, b, c, d;
equation
  der(x) = -a - b;
  a = x - b;
  b = 2 * a;
  x - d = 0;
  c = b + (if positive then d else 0);
  positive = c > 0;
  annotation(experiment(StopTime = 1, Tolerance = 1e-9));
protected
  Boolean positive;
end M;
