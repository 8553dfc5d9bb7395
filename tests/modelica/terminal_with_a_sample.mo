// value n(1) = 12 +- 0
// stop 1
model M
  Integer n(start = 0);
equation
  when {sample(0.5, 0.5), terminal()} then
    n = if terminal() then pre(n) + 10 else pre(n) + 1;
  end when;
end M;
