// value b(0.6) = 10 +- 0
// value b(1) = 20 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer a(start = 0), b(start = 0);
equation
  der(x) = 1;
  when {2 * x > 1, 2 * x > 1.6} then
    b = 10 * a;
  end when;
  when x > 0.5 then
    a = 1;
  elsewhen x > 0.8 then
    a = 2;
  end when;
end M;
