// error 5:13 expected ')' for the '(' of line 5, not ';'
model M
  Real x;
equation
  x = (1 + 2;
end M;
