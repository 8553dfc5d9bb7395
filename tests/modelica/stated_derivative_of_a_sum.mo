// error 6:7 'der' takes a variable, not an expression: introduce a variable for it
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  der(2 * x) = 2;
end M;
