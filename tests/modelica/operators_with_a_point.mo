// value x[1](0) = 11 +- 0
// value x[2](0) = 12 +- 0
// value y[1](0) = 9 +- 0
// value y[2](0) = 8 +- 0
// value z[2](0) = 3 +- 0
// value w[2](0) = 0.5 +- 0
model M
  parameter Real a[2] = {1, 2};
  Real x[2], y[2], z[2], w[2], s(start = 0, fixed = true);
equation
  der(s) = 1;
  x = a .+ 10;
  y = 10 .- a;
  z = 6 ./ a;
  w = 1 ./ a .* 1;
end M;
