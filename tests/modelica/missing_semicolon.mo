// error 6:14 expected ';' after this equation
model M
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -x
  y = 2 * x;
end M;
