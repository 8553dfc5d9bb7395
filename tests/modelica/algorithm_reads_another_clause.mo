// value a(1) = 1 +- 0
// value b(1) = 11 +- 0
// value c(1) = 111 +- 0
// stop 1
model M
  Integer a(start = 0), b(start = 0), c(start = 0);
algorithm
  when sample(0.5, 1) then
    c := b + 100;
  end when;
algorithm
  when sample(0.5, 1) then
    b := a + 10;
  end when;
equation
  when sample(0.5, 1) then
    a = pre(a) + 1;
  end when;
end M;
