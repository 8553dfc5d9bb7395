// error 8:5 an equation of a when-clause has a variable on its left side
model M
  Real x(start = 0, fixed = true);
  Real n;
equation
  der(x) = 1;
  when x > 0.5 then
    n + 1 = 2;
  end when;
end M;
