// value a(1) = 1 +- 1e-9
// value b(1) = 3 +- 1e-9
// value va(1) = -1 +- 1e-9
// value vb(1) = 3 +- 1e-9
model M "two equal bodies that hit each other"
  Real a(start = 0, fixed = true), b(start = 2, fixed = true);
  Real va(start = 3, fixed = true), vb(start = -1, fixed = true);
equation
  der(a) = va;
  der(b) = vb;
  der(va) = 0;
  der(vb) = 0;
  when a >= b then
    reinit(va, pre(vb));
    reinit(vb, pre(va));
  end when;
end M;
