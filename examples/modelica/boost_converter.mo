// value iL(1.0) = 34.26217757308862 +- 3.4e-04
// value vC(1.0) = 59.75696318754736 +- 6.0e-04
// instant 0.1 +- 1e-06
// instant 0.16 +- 1e-06
// instant 0.26 +- 1e-06
// instant 0.32 +- 1e-06
// instant 0.42 +- 1e-06
// instant 0.48 +- 1e-06
// instant 0.58 +- 1e-06
// instant 0.64 +- 1e-06
// instant 0.74 +- 1e-06
// instant 0.8 +- 1e-06
// instant 0.9 +- 1e-06
// instant 0.96 +- 1e-06
model BoostConverter "A switch that is driven by a clock, and an ideal diode"
  parameter Real Vi = 48, R = 2, C = 0.01, L = 1;
  Real vC(start = 10, fixed = true), iL(start = 10, fixed = true);
  Real iR, iD, iS, vD, vS;
  Real D "on the characteristic of the diode: its voltage where it blocks, its current where it conducts";
  discrete Boolean S(start = false) "whether the switch is closed";
equation
  C * der(vC) = iD - iR;
  L * der(iL) = vS + Vi;
  0 = vD + vC + vS;
  0 = R * iR - vC;
  0 = iS + iL - iD;
  0 = if S then vS else iS;
  vD = if D < 0 then D else 0;
  iD = if D < 0 then 0 else D;
  when sample(0.1, 0.16) then
    S = true;
  elsewhen sample(0.16, 0.16) then
    S = false;
  end when;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end BoostConverter;
