// error 3:12 'sin' takes 1 argument, not 2
model M
  Real x = sin(1, 2);
equation
end M;
