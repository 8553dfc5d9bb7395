// error 4:8 'y' occurs in no equation, so nothing determines it (the model has 2 unknowns and 1 equation): write an equation for it, give it a value here ('y = ...'), or remove it
model M
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -x;
end M;
