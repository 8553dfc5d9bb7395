// error 3:10 the size of 'v' is not known: only parameters with a value may have ':'
model M
  Real v[:];
equation
  v[1] = 1;
end M;
