// error 3:37 the rows of an array differ in size: this one has 1 elements
model M
  parameter Real A[2, 2] = {{1, 2}, {3}};
  Real x = A[1, 1];
equation
end M;
