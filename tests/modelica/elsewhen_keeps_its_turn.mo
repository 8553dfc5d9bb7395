// value n(0.4) = 1 +- 0
// value n(0.6) = 2 +- 0
// value n(1) = 2 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when x > 0.3 then
    n = 1;
  elsewhen x > 0.5 then
    n = 2;
  end when;
end M;
