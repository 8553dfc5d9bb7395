// error 3:18 the value of 'a' depends on itself: a -> b -> a
model M
  parameter Real a = b;
  parameter Real b = a + 1;
  Real x = a;
equation
end M;
