// error 4:18 'start' of 'x' must be known when the text is read, but 'y' is a variable
model M
  Real y = time;
  Real x(start = y, fixed = true);
equation
  der(x) = 1;
end M;
