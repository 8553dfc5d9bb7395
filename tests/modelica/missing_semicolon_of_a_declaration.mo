// error 3:34 expected ';' after this declaration
model M
  Real x(start = 1, fixed = true)
  Real y;
equation
  der(x) = -x;
  y = 2 * x;
end M;
