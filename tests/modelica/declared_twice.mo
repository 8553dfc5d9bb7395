// error 4:8 'x' is declared twice, first in line 3
model M
  Real x = 1;
  Real x = 2;
equation
end M;
