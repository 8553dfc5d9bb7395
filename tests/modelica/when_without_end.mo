// error 10:1 expected 'end when' for the 'when' of line 7, not 'end'
model M
  Real x(start = 0, fixed = true);
  Integer n;
equation
  der(x) = 1;
  when x > 0.5 then
    n = 1;

end M;
