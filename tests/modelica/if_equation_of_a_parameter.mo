// value y(1) = 3 +- 1e-12
model M
  parameter Boolean simple = true;
  Real y;
equation
  if simple then
    y = 3;
  else
    y ^ 2 + time = 4;
    y = 2;
  end if;
end M;
