// error 3:22 the value of 'p' is not of type Real, this is true or false
model M
  parameter Real p = true;
  Real x(start = 0, fixed = true);
equation
  der(x) = p;
end M;
