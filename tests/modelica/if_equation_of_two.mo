// value y(0.4) = 1 +- 1e-9
// value z(0.4) = 2 +- 1e-9
// value y(1) = 3 +- 1e-9
// value z(1) = 4 +- 1e-9
model M "the equations of the branches need not be in the same order"
  Real x(start = 0, fixed = true);
  Real y, z;
equation
  der(x) = 1;
  if x < 0.5 then
    y = 1;
    z = 2;
  else
    z = 4;
    y = 3;
  end if;
end M;
