// error 3:18 the parameter 'p' has no value
model M
  parameter Real p;
  Real x = p;
equation
end M;
