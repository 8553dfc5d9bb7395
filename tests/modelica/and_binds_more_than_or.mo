// value y(1) = 1 +- 0
model M
  Real x(start = 0, fixed = true);
  Boolean y;
equation
  der(x) = 1;
  y = true or false and false;
end M;
