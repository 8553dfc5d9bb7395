// error 5:3 'x' starts at 1 already (fixed = true, or another initial equation), this says 2: leave one of them out
model M
  Real x(start = 1, fixed = true);
initial equation
  x = 2;
equation
  der(x) = -x;
end M;
