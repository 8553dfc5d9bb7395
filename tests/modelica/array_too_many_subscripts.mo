// error 6:3 'v' has 1 dimension, but 2 subscripts
model M
  Real v[2];
equation
  v[1] = 1;
  v[1, 2] = 1;
end M;
