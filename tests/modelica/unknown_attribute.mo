// error 3:10 Real has no attribute 'stat': did you mean 'start'?
model M
  Real x(stat = 1);
equation
  der(x) = 1;
end M;
