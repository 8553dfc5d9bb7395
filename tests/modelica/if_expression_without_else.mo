// error 7:24 an if-expression needs an 'else': it has a value in every case
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = if x < 0.3 then 1;
end M;
