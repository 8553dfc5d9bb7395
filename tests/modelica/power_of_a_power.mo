// error 3:18 a power of a power: say with parentheses which one is meant
model M
  Real x = 2 ^ 3 ^ 2;
equation
end M;
