// error 3:8 the range of 'x' is empty: min is 2, max is 1
model M
  Real x(min = 2, max = 1) = 1;
equation
end M;
