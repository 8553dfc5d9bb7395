// error 5:3 this comment has no end: '*/'
model M
  Real x = 1;
equation
  /* for ever
end M;
