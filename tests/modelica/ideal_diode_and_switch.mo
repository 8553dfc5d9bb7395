// value i(0.5) = 0.5 +- 1e-7
// value i(1.5) = 0.5 +- 1e-6
// value vD(1.5) = 0 +- 1e-9
// value i(3) = 0 +- 1e-9
// value D(3) = -1 +- 1e-7
// value D(1.5) = 0.5 +- 1e-6
// events "S opens" 1
// events "D ceases to conduct" 1
// event "D ceases to conduct" 2 +- 1e-7
model M "a coil that a switch connects to a source, and a diode for its current when the switch opens"
  Real i(start = 0, fixed = true) "of the coil, 1 H";
  Real iS, iD, vS, vD;
  Real D "along the characteristic of the diode";
  discrete Boolean S(start = true) "closed";
equation
  der(i) = vL;
  iS + iD = i;
  vS + vL = 1 "the source";
  vL + vD = -1 "a counter-voltage behind the diode";
  if S then
    vS = 0;
  else
    iS = 0;
  end if;
  if off then
    vD = D;
    iD = 0;
  else
    vD = 0;
    iD = D;
  end if;
  off = D < 0;
  when time > 1 then
    S = false;
  end when;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
protected
  Real vL;
  Boolean off;
end M;
