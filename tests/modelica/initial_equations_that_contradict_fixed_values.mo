// outcome not_started
// says initial equation 'x + y = 3 (line 7, column 3)' cannot hold with the equations of the model and the stated start values of 'x', 'y'
// says let a start value be a guess
model M
  Real x(start = 1, fixed = true), y(start = 1, fixed = true);
initial equation
  x + y = 3;
equation
  der(x) = -x;
  der(y) = -y;
end M;
