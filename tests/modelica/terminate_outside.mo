// error 6:3 'terminate' belongs in a when-clause
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  terminate("at once");
end M;
