// value a(1) = 2.5 +- 1e-7
// value b(1) = 3.5 +- 1e-7
model M "both read the values before"
  Real a(start = 0, fixed = true), b(start = 1, fixed = true);
equation
  der(a) = 1;
  der(b) = 1;
  when a > 0.5 then
    reinit(a, b + 0.5);
    reinit(b, a + 2.5);
  end when;
end M;
