// error 5:7 'der' takes a variable, not an expression: introduce a variable for it
model M
  Real x(start = 1, fixed = true);
equation
  der(2 * x) = 1;
end M;
