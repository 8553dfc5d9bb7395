// error 6:3 'assert' takes a condition, a message and perhaps a level
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 2);
end M;
