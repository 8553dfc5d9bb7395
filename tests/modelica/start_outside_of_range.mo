// error 3:10 'x' starts at -1, which is outside of its range from 0 to 5
model M
  Real x(start = -1, min = 0, max = 5);
equation
  der(x) = 1;
end M;
