// error 8:5 the new value of 'a' depends on itself: a -> b -> a (lines 8 and 11); write pre(b) here for the value of 'b' before the event
model M
  Real x(start = 0, fixed = true);
  discrete Real a(start = 0), b(start = 0);
equation
  der(x) = 1;
  when x > 0.3 then
    a = b + 1;
  end when;
  when x > 0.5 then
    b = a + 1;
  end when;
end M;
