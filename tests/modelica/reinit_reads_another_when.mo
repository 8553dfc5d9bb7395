// value y(0.4) = 0 +- 1e-7
// value y(1) = 7 +- 1e-7
model M
  Real x(start = 0, fixed = true);
  Real y(start = 0, fixed = true);
  discrete Real a(start = 0);
equation
  der(x) = 1;
  der(y) = 0;
  when 2 * x > 1 then
    reinit(y, a);
  end when;
  when x > 0.5 then
    a = 7;
  end when;
end M;
