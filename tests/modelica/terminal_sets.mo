// value left n(1) = 0 +- 0
// value n(1) = 1 +- 0
// value last(1) = 2 +- 1e-6
// value n(0.9) = 0 +- 0
// instants 1
// stop 1
model M
  Real x(start = 1, fixed = true);
  Integer n(start = 0);
  discrete Real last(start = 0);
equation
  der(x) = 1;
  when terminal() then
    n = pre(n) + 1;
    last = x;
  end when;
end M;
