// error 4:19 the enumeration 'E' has no literal 'c'
model M
  type E = enumeration(a, b);
  parameter E e = E.c;
  Real x = 1;
equation
end M;
