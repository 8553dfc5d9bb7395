// error 6:3 this initial equation contains no variable, and does not hold
model M
  constant Real c = 3;
  Real x;
initial equation
  c = 2;
equation
  der(x) = -x;
end M;
