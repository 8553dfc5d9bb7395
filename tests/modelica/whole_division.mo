// value a(1) = 3 +- 0
// value b(1) = -3 +- 0
// value c(1) = 1 +- 0
// value d(1) = -1 +- 0
// value e(1) = -1 +- 0
// value f(1) = 3.5 +- 0
model M "div cuts off towards zero, mod has the sign of its divisor, rem that of what is divided"
  Integer a = div(7, 2), b = div(-7, 2), c = mod(-7, 2), d = rem(-7, 2), e = mod(7, -2);
  Real f = 7 / 2;
equation
end M;
