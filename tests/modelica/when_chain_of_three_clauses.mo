// value a(1) = 1 +- 0
// value b(1) = 11 +- 0
// value c(1) = 111 +- 0
model M "the order of the text does not matter"
  Real x(start = 0, fixed = true);
  Integer a(start = 0), b(start = 0), c(start = 0);
equation
  der(x) = 1;
  when 4 * x > 2 then
    c = b + 100;
  end when;
  when 2 * x > 1 then
    b = a + 10;
  end when;
  when x > 0.5 then
    a = 1;
  end when;
end M;
