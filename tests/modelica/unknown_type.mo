// error 3:3 there is no type 'Reel': did you mean 'Real'?
model M
  Reel x = 1;
equation
end M;
