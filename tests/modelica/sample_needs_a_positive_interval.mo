// error 7:18 the interval of 'sample' must be positive, this is 0
model M
  Real x(start = 0, fixed = true);
  Integer n;
equation
  der(x) = 1;
  when sample(0, 0) then
    n = 1;
  end when;
end M;
