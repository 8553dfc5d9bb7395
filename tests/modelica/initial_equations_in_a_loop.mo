// value x[1](0) = 1 +- 1e-12
// value x[3](0) = 4 +- 1e-12
// value x[4](0) = 8 +- 1e-12
model M
  parameter Real a = 1;
  Real x[4];
initial equation
  x[1] = a;
  for i in 2:4 loop
    x[i] = 2 * x[i - 1];
  end for;
equation
  for i in 1:4 loop
    der(x[i]) = -x[i];
  end for;
end M;
