// outcome not_started
// says 'der(x) = 0 (line 6, column 3)' cannot hold
model M
  Real x(start = 1);
initial equation
  der(x) = 0;
equation
  der(x) = -x ^ 2 - 1;
end M;
