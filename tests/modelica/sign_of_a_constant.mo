// value a(1) = -1 +- 0
// value b(1) = 0 +- 0
// value c(1) = 1 +- 0
model M
  parameter Real p = -3;
  Integer a = sign(p), b = sign(p + 3), c = sign(-p);
equation
end M;
