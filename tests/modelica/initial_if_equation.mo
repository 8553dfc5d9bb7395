// value x(0) = 7 +- 1e-12
model M
  parameter Boolean rests = false;
  Real x;
initial equation
  if rests then
    der(x) = 0;
  else
    x = 7;
  end if;
equation
  der(x) = -x;
end M;
