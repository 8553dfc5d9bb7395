// value n(0) = 3 +- 0
// value n(1) = 3 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when initial() then
    n = 3;
  end when;
end M;
