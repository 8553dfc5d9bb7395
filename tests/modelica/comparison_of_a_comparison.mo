// error 3:24 a comparison of a comparison: write 'a < b and b < c'
model M
  Boolean b = 1 < time < 2;
equation
end M;
