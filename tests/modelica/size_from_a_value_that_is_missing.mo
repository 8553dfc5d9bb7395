// error 3:25 'missing' is not declared
model M
  parameter Integer n = missing;
  parameter Real p[n] = {1, 2};
  parameter Real q(max = n) = 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = p[1] + q;
end M;
