// error 3:15 a condition is needed here, this is a number: compare it with something
model M
  Boolean b = 1;
equation
end M;
