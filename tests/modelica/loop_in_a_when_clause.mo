// error 8:5 the new value of 'a' depends on itself: a -> b -> a (lines 8 and 9); write pre(b) here for the value of 'b' before the event
model M
  Real x(start = 0, fixed = true);
  Integer a(start = 1), b;
equation
  der(x) = 1;
  when x > 0.5 then
    a = b + 1;
    b = a - 1;
  end when;
end M;
