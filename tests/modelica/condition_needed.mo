// error 4:15 a condition is needed here, this is a number: compare it with something
model M
  Real x(start = 0, fixed = true);
  Real y = if x then 1 else 2;
equation
  der(x) = 1;
end M;
