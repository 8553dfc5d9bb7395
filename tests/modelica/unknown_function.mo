// error 4:12 there is no function 'sine': did you mean 'sin'?
model M
  Real x = 1;
  Real y = sine(x);
equation
end M;
