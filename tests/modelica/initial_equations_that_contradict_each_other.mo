// outcome not_started
// says 'x + y = 3 (line 7, column 3)', 'x + y = 4 (line 8, column 3)'
// says leave one out
model M
  Real x(start = 1), y(start = 1);
initial equation
  x + y = 3;
  x + y = 4;
equation
  der(x) = -x;
  der(y) = -y;
end M;
