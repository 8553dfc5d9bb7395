// value x(1) = 1 +- 1e-7
model M "what holds at the event may fail later"
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then
    assert(x < 0.6, "too high at the event");
  end when;
end M;
