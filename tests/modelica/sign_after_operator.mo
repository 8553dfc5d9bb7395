// error 5:16 a sign follows '*' or '/': put it and its factor in parentheses
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 2 * -x;
end M;
