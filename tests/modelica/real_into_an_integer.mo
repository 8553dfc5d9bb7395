// error 8:9 'n' is an Integer, this is a Real number: use 'integer(...)'
model M
  Real x(start = 0, fixed = true);
  Integer n;
equation
  der(x) = 1;
  when x > 0.5 then
    n = 2.5 * x;
  end when;
end M;
