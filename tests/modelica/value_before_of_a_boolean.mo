// value b(0.2) = 0 +- 0
// value b(0.4) = 1 +- 0
// value b(0.9) = 0 +- 0
model M "toggles at every clause"
  Boolean b(start = false);
equation
  when {time > 0.3, time > 0.6} then
    b = not pre(b);
  end when;
end M;
