// value a(1) = 1 +- 0
// value b(1) = 0 +- 0
// value n(1) = 3 +- 0
model M
  type Size = enumeration(small, middle, large);
  parameter Size s = Size.large;
  Boolean a = Size.small < s, b = s <= Size.middle;
  Integer n = Integer(s);
equation
end M;
