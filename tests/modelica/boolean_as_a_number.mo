// error 7:12 a number is needed here, this is true or false: write 'if ... then 1 else 0'
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = 1 + (x > 0.5);
end M;
