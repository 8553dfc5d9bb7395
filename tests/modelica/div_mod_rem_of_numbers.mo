// value y(1) = -0.5 +- 1e-7
model M "div rounds towards zero (-3, -3, 3), mod has the sign of the divisor (1, 2.5), rem that of the dividend (-1)"
  Real y(start = 0, fixed = true);
  parameter Integer a = div(-7, 2), b = mod(-7, 2), c = div(7, -2);
  parameter Integer d = div(7, 2), e = rem(-7, 2);
  parameter Real g = mod(-5.5, 4.0);
equation
  der(y) = a + b + c + d + e + g;
end M;
