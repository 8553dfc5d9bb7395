// value a(0) = 2 +- 0
// value b(0) = 4 +- 0
model M "at the start, too, equations hold together"
  Real x(start = 0, fixed = true);
  Integer a(start = 0), b(start = 0);
equation
  der(x) = 1;
  when initial() then
    b = 2 * a;
  end when;
  when initial() then
    a = 2;
  end when;
end M;
