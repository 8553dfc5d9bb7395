// value x(0) = 10 +- 1e-9
// value d(0) = 5 +- 0
model M
  Real x;
  discrete Real d;
initial equation
  x = 2 * d;
equation
  der(x) = -x;
  when initial() then
    d = 5;
  end when;
end M;
