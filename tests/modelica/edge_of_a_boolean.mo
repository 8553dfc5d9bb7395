// value k(1) = 1 +- 0
model M "rises at 0.3, falls at 0.6: one edge"
  Real x(start = 0, fixed = true);
  Boolean b(start = false);
  Integer k(start = 0);
equation
  der(x) = 1;
  b = x > 0.3 and x < 0.6;
  when edge(b) then
    k = pre(k) + 1;
  end when;
end M;
