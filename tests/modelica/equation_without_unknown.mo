// error 6:3 there is no unknown in this equation, only numbers, parameters and values that events set: remove it, or write 'assert(...)' if it should be checked
model M
  parameter Real p = 1;
  Real x = p;
equation
  p = 1;
end M;
