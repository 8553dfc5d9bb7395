// outcome terminal_event
// value x(0.5) = 0.5 +- 1e-7
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when {x > 0.25, x > 0.75} then
    n = pre(n) + 1;
  end when;
  when n >= 2 then
    terminate("seen twice");
  end when;
end M;
