// warning 7:8 this always holds: it never becomes true, so the when-clause is never carried out
// value n(1) = 0 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  when 2 > 1 then
    n = 1;
  end when;
  der(x) = 1;
end M;
