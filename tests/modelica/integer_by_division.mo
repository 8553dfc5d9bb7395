// error 5:25 'c' is an Integer, its value is 3.5
model M
  parameter Integer a = 7;
  Real x;
  parameter Integer c = a / 2;
equation
  x = c;
end M;
