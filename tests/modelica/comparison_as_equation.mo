// error 5:9 '==' compares; an equation is written with '='
model M
  Real x;
equation
  2 * x == 3;
end M;
