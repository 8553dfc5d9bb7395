// error 5:11 a quantity that changes with time is compared for equality: it would be true at single moments only; use <, <=, >, >=
model M
  Real x(start = 0, fixed = true), y;
equation
  y = if (x == 1) then 1 else 2;
  der(x) = 1;
end M;
