// value n(0.05) = 1 +- 0
// value n(0.95) = 10 +- 0
model M "the first moment of sample is the beginning of the run"
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = n;
  when sample(0, 0.1) then
    n = pre(n) + 1;
  end when;
end M;
