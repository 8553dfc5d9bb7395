// error 4:8 an equation for one of 'x' and 'y' is missing: line 6 is 1 equation for 2 unknowns, 'x' and 'y' (the model has 3 unknowns and 3 equations); write another equation, or give a value in the declaration ('x = ...')
// error 8:3 lines 7 and 8 have 2 equations for the unknown 'z', 1 too many (the model has 3 unknowns and 3 equations): remove one of them, or bring another variable into it
model M
  Real x, y, z;
equation
  x + y = 1;
  z + sin(z) = 1;
  z^2 = 1;
end M;
