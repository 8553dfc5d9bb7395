// value a(1) = 1 +- 0
// value b(1) = 0 +- 0
model M "at the same moment only the first branch is carried out"
  Real x(start = 0, fixed = true);
  Integer a(start = 0), b(start = 0);
equation
  der(x) = 1;
  when x > 0.5 then
    a = 1;
  elsewhen 2 * x > 1 then
    b = 1;
  end when;
end M;
