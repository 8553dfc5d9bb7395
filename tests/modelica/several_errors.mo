// error 4:3 there is no type 'Rael': did you mean 'Real'?
// error 5:3 there is no type 'Intger': did you mean 'Integer'?
model M
  Rael x;
  Intger n;
equation
  der(x) = 1;
end M;
