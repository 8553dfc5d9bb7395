// error 7:3 'a' depends on itself at the same moment: a -> b -> a; write pre(...) for the value before
model M
  Boolean a, b;
  Real x(start = 1, fixed = true);
equation
  der(x) = 1;
  a = b or x > 1;
  b = a and x > 2;
end M;
