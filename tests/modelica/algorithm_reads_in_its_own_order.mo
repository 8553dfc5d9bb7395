// value a(1) = 5 +- 0
// value b(1) = 6 +- 0
// stop 1
model M
  Integer a(start = 0), b(start = 5);
algorithm
  when sample(0.5, 1) then
    a := b;
  end when;
  when sample(0.5, 1) then
    b := a + 1;
  end when;
end M;
