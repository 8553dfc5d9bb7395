// parameter kk = 2
// error 3:7 there is no parameter 'kk' to be set: did you mean 'k'?
model M
  parameter Real k = 1;
  Real x = k;
equation
end M;
