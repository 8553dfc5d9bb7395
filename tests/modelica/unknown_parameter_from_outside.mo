// parameter kk = 2
// error 0:0 there is no parameter 'kk' to be set: did you mean 'k'?
model M
  parameter Real k = 1;
  Real x = k;
equation
end M;
