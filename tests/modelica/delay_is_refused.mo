// error 4:12 equations with delays are not supported
model M
  Real x(start = 0, fixed = true);
  Real y = delay(x, 1);
equation
  der(x) = 1;
end M;
