// error 8:5 'x' is set twice in this when-clause
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then
    reinit(x, 0);
    reinit(x, 1);
  end when;
end M;
