// error 6:7 'p' changes at events only: it has no derivative
model M
  parameter Real p = 1;
  Real x;
equation
  x = der(p);
end M;
