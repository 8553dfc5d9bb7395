// value n(1) = 1 +- 0
// value m(1) = 1 +- 0
model M
  Real x = 1;
  Integer n(start = 0), m(start = 0);
equation
  when time > 0.5 then
    n = 1;
  elsewhen time > 0.7 then
    m = 1;
  end when;
end M;
