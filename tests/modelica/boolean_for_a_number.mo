// error 6:7 'y' is a number, this is true or false: write 'if ... then 1 else 0', or declare a Boolean
model M
  Real x(start = 0, fixed = true), y;
equation
  der(x) = 1;
  y = x > 0.5;
end M;
