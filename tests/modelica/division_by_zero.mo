// error 4:17 this divides by zero
model M
  Real x(start = 1, fixed = true);
  Real y = x / (2 - 2);
equation
  der(x) = 1;
end M;
