// value a(1) = -4 +- 0
// value b(1) = 0.25 +- 0
// value c(1) = -6 +- 0
// value d(1) = 1 +- 0
// value e(1) = 8 +- 0
model M "the power binds first, and subtraction and division from the left"
  parameter Real two = 2;
  Real a = -two ^ 2, b = two ^ (-2), c = 1 - 3 - 4, d = 8 / 4 / two, e = two * 2 ^ 2;
equation
end M;
