// error 3:12 this Integer is larger than 2147483647: write it as a Real, '3000000000.0'
model M
  Real x = 3000000000;
equation
end M;
