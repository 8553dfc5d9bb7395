// value y(3.0) = -0.00926251982149564 +- 1.0e-07
// value v(3.0) = 0.14009843612182288 +- 1.4e-06
// instant 0.4006647561337035 +- 1e-06
// instant 0.4070937935388119 +- 1e-06
// instant 0.4172457287422297 +- 1e-06
// instant 0.8384843675547181 +- 1e-06
// instant 0.8446385587056022 +- 1e-06
// instant 0.8543899214113199 +- 1e-06
// instant 1.2818765717948855 +- 1e-06
// instant 1.2880468407964794 +- 1e-06
// instant 1.297836666697003 +- 1e-06
// instant 1.7307494406860062 +- 1e-06
// instant 1.7369384114013884 +- 1e-06
// instant 1.7467581801639853 +- 1e-06
// instant 2.179904134163157 +- 1e-06
// instant 2.1860935522602176 +- 1e-06
// instant 2.1959132038853793 +- 1e-06
// instant 2.6287209257815976 +- 1e-06
// instant 2.634909185724768 +- 1e-06
// instant 2.6447269314784876 +- 1e-06
model DisodeP2 "DISODE45, problem 2: a building that hits its neighbour"
  parameter Real c = 2.47e6;
  Real y(start = 0, fixed = true, nominal = 0.01), v(start = 0, fixed = true, nominal = 0.1);
  Real depth = y - 0.005;
  Real force(nominal = 100);
equation
  der(y) = v;
  2 * der(v) = -4.1 * v - 210.125 * y - force - 2 * sin(14 * time);
  force = if depth <= 0 then 0
    elseif v > 0 then c * depth ^ 1.5 + 1.98 * sqrt(2 * c * sqrt(depth)) * v
    else c * depth ^ 1.5;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end DisodeP2;
