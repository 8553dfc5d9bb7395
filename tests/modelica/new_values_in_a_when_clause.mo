// value b(1) = 4 +- 0
// value c(1) = 8 +- 0
model M "equations of a clause hold together, in whatever order they are written"
  Real x(start = 0, fixed = true);
  Integer a(start = 1), b, c;
equation
  der(x) = 1;
  when x > 0.5 then
    c = 2 * b;
    b = 2 * a;
    a = pre(a) + 1;
  end when;
end M;
