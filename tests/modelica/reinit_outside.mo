// error 6:3 'reinit' belongs in a when-clause
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  reinit(x, 2);
end M;
