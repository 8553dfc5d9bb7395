// error 3:18 'p' is 3, which is outside of its range from 0 to 1
model M
  parameter Real p(min = 0, max = 1) = 3;
  Real x = p;
equation
end M;
