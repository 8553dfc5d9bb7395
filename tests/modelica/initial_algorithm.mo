// value x(0) = 6 +- 1e-12
// value n(0) = 3 +- 0
model M
  parameter Real p = 1;
  Real x;
  Integer n;
initial algorithm
  x := 0;
  n := 3;
  for i in 1:n loop
    x := x + i * p;
  end for;
equation
  der(x) = -x;
  when x < 1 then
    n = pre(n) + 1;
  end when;
end M;
