// error 3:22 the value of 'p' is nan, which is not a number
model M
  parameter Real p = sqrt(-1);
  Real x = p;
equation
end M;
