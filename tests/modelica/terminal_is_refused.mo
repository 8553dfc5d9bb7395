// error 7:8 'terminal()' is not supported: look at the end of the result instead
model M
  Real x(start = 0, fixed = true);
  Integer n;
equation
  der(x) = 1;
  when terminal() then
    n = 1;
  end when;
end M;
