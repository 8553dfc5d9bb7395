// value n_slow(3.505) = 50 +- 0
// value n_off(3.505) = 0 +- 0
// The ticks of both clocks at 0.07 k are one instant: the slow one reads what was before the fast one.
model M
  Real x(start = 0, fixed = true);
  discrete Integer a(start = 0, fixed = true);
  discrete Integer n_slow(start = 0, fixed = true);
  discrete Integer n_off(start = 0, fixed = true);
equation
  der(x) = 1;
  when sample(0.01, 0.01) then
    a = pre(a) + 1;
  end when;
  when sample(0.07, 0.07) then
    n_slow = pre(n_slow) + 1;
    n_off = pre(n_off) + (if pre(a) == 7 * n_slow - 1 then 0 else 1);
  end when;
  annotation(experiment(StopTime = 3.505));
end M;
