// value d(0) = 6 +- 0
// value d(0.7) = 7 +- 0
model M
  parameter Real p = 3;
  Real x(start = 0, fixed = true);
  discrete Real d;
initial equation
  d = 2 * p;
equation
  der(x) = 1;
  when x > 0.5 then
    d = pre(d) + 1;
  end when;
end M;
