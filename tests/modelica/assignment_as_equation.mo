// error 5:5 ':=' assigns in algorithms; an equation is written with '='
model M
  Real x;
equation
  x := 3;
end M;
