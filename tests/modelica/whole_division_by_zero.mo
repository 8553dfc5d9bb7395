// error 3:39 this divides by zero
model M
  parameter Integer n = 0, m = div(3, n);
  Real x = m;
equation
end M;
