// error 3:10 'v' has 1000000000 elements: a model has at most 1000000 variables and equations
model M
  Real v[1000000000];
equation
end M;
