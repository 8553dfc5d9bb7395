// error 5:17 '!=' is written '<>' in Modelica
model M
  parameter Integer n = 2;
  Real x(start = 0, fixed = true);
  Boolean b = n != 3;
equation
  der(x) = 1;
end M;
