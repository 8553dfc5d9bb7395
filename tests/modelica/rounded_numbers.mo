// value a(1) = -2 +- 0
// value b(1) = -2 +- 0
// value c(1) = -1 +- 0
// value d(1) = 1 +- 0
model M
  parameter Real p = -1.5;
  Integer a = integer(p), d = integer(1.9);
  Real b = floor(p), c = ceil(p);
equation
end M;
