// error 2:7 model 'M': 'y' occurs in no equation
model M
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -x;
end M;
