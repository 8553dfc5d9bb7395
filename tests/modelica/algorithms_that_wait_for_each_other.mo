// error 6:5 the new value of 'a' depends on itself: a -> b -> a (lines 6 and 10); write pre(b) here for the value of 'b' before the event
model M
  Integer a(start = 0), b(start = 5);
algorithm
  when sample(0.5, 1) then
    a := b;
  end when;
algorithm
  when sample(0.5, 1) then
    b := a + 1;
  end when;
end M;
