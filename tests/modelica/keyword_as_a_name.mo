// error 3:8 expected the name of a variable, not 'end'
model M
  Real end = 1;
equation
end M;
