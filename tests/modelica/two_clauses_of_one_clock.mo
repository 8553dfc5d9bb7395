// value a(0.95) = 9 +- 0
// value b(0.95) = 18 +- 0
model M "clauses with the same condition hold together"
  Real x(start = 0, fixed = true);
  Integer a(start = 0), b(start = 0);
equation
  der(x) = 1;
  when sample(0.1, 0.1) then
    b = 2 * a;
  end when;
  when sample(0.1, 0.1) then
    a = pre(a) + 1;
  end when;
end M;
