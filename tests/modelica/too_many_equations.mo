// error 6:3 lines 5 and 6 have 2 equations for the unknown 'x', 1 too many (the model has 1 unknown and 2 equations): remove one of them, or bring another variable into it
model M
  Real x;
equation
  x = 1;
  2 * x = 2;
end M;
