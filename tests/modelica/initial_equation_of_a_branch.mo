// value x(0) = 0.75 +- 1e-9
model M
  Real x(start = 5);
initial equation
  der(x) = 0;
equation
  der(x) = if x > 1 then 2 - 4 * x else 3 - 4 * x;
end M;
