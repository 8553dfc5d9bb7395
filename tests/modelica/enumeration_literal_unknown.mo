// error 7:7 the enumeration 'Gear' has no literal 'reverse'
model M
  type Gear = enumeration(low, high);
  Gear g;
  Real x = 1;
equation
  g = Gear.reverse;
end M;
