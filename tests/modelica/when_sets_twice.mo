// error 9:5 'n' is set twice in this when-clause
model M
  Real x(start = 0, fixed = true);
  Integer n;
equation
  der(x) = 1;
  when x > 0.5 then
    n = 1;
    n = 2;
  end when;
end M;
