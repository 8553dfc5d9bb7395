// error 3:12 this number is larger than any that can be computed with (1.8e308)
model M
  Real x = 1e999;
equation
end M;
