// value d(0) = 6 +- 1e-9
// value x(0) = 2 +- 1e-9
model M
  Real x(start = 1);
  discrete Real d;
initial equation
  der(x) = 0;
  pre(d) = 3 * x;
equation
  der(x) = 2 - x;
  when x > 5 then
    d = pre(d) + 1;
  end when;
end M;
