// error 2:7 this model has no unknowns, so there is nothing to compute: declare a variable ('Real x;') and write an equation for it
model M
  parameter Real p = 1;
equation
end M;
