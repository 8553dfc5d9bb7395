// value y1(12.0) = -0.4682060438922827 +- 1.0e-05
// value y2(12.0) = -0.059536911593575687 +- 1.0e-05
// value v1(12.0) = 0.0 +- 1.0e-05
// value v2(12.0) = 0.0 +- 1.0e-05
// instant 1.0524788191283199 +- 1e-06
// instant 1.2772926673602023 +- 1e-06
// instant 2.061102560251525 +- 1e-06
// instant 2.287834158601361 +- 1e-06
// instant 3.337920923049531 +- 1e-06
// instant 3.601161367377452 +- 1e-06
// instant 4.444080531436449 +- 1e-06
// instant 4.525605416928758 +- 1e-06
// instant 5.552968414608458 +- 1e-06
// instant 5.943251431928535 +- 1e-06
// instant 6.497070286415685 +- 1e-06
// instant 6.7546329210831955 +- 1e-06
// instant 7.633580741831272 +- 1e-06
// instant 8.825923432708075 +- 1e-06
// instant 9.09735851897965 +- 1e-06
// instant 9.29549508391066 +- 1e-06
// instant 9.604495196526091 +- 1e-06
// instant 10.819728308717975 +- 1e-06
model DisodeP4 "DISODE45, problem 4: two masses, each with friction that depends on where it is"
  parameter Real k = 1 "stiffness of the spring between them";
  Real y1(start = -2, fixed = true), y2(start = 3, fixed = true);
  Real v1(start = 0, fixed = true), v2(start = 0, fixed = true);
  Real F1 = if y1 <= 0 then 0.6 else 1;
  Real F2 = if y2 <= 0 then 0.5 else 0.2;
equation
  der(y1) = v1;
  der(y2) = v2;
  der(v1) = -k * (y1 - y2) - F1 * sign(v1);
  der(v2) = -k * (y2 - y1) - F2 * sign(v2);
  annotation(experiment(StopTime = 12, Tolerance = 1e-8));
end DisodeP4;
