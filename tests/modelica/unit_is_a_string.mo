// error 3:17 'unit' is a String
model M
  Real x(unit = 3) = 1;
equation
end M;
