// error 7:10 'initial()' is supported as the condition of a when-clause only
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = if initial() then 1 else 2;
end M;
