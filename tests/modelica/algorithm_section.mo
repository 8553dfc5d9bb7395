// value y(0.25) = 1.5 +- 1e-7
// value z(0.25) = 3 +- 1e-7
// value y(0.75) = 3 +- 1e-7
model M
  Real x(start = 0, fixed = true), y, z;
equation
  der(x) = 1;
algorithm
  y := 1;
  if x > 0.5 then
    y := 2;
  end if;
  y := y * 1.5;
  z := 2 * y;
end M;
