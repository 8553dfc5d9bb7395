// value n(0.95) = 11 +- 0
model M "9 ticks of one clock and 3 of the other; at 0.5 both tick, which is one event"
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when {sample(0.1, 0.1), sample(0.25, 0.25)} then
    n = pre(n) + 1;
  end when;
end M;
