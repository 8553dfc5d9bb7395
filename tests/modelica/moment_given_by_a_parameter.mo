// value n(0.6) = 0 +- 0
// value n(0.8) = 1 +- 0
// event "time >= t1" 0.7 +- 1e-12
model M
  parameter Real t1 = 0.7;
  Integer n(start = 0);
equation
  when time >= t1 then
    n = pre(n) + 1;
  end when;
end M;
