// error 6:7 the sizes do not match: 2 elements and a single value; to every element a number is added by '.+'
model M
  parameter Real a[2] = {1, 2};
  Real x[2];
equation
  x = a + 10;
end M;
