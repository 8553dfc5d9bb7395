// value a(1) = 1 +- 0
// value b(1) = 1 +- 0
// value c(1) = 0 +- 0
// value d(1) = 1 +- 0
model M "not before and before or"
  parameter Boolean t = true, f = false;
  Boolean a = t or f and f, b = not f and t, c = (t or f) and f, d = not (t and f);
equation
end M;
