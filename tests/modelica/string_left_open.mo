// error 3:10 this string has no end: '"'
model M
  Real x "never closed;
equation
  x = 1;
end M;
