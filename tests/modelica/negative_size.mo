// error 4:10 an array cannot have -2 elements
model M
  parameter Integer n = -2;
  Real x[n];
equation
end M;
