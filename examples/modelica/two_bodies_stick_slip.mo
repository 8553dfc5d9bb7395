// value p1(10.0) = 6.365907816754916 +- 6.4e-05
// value p2(10.0) = 6.178113294134454 +- 6.2e-05
// value v1(10.0) = 0.9195357645382263 +- 1.0e-05
// value v2(10.0) = 0.9195357645382263 +- 1.0e-05
// instant 0.9272952180016122 +- 1e-06
// instant 2.8870039059807797 +- 1e-06
// instant 4.068887871591405 +- 1e-06
// instant 6.028596559570572 +- 1e-06
// instant 7.2104805251811985 +- 1e-06
// instant 9.170189213160366 +- 1e-06
model TwoBodiesStickSlip "Two bodies with dry friction between them"
  parameter Real mu = 0.4, normal_force(unit = "N") = 1;
  Real p1(start = 1, fixed = true), p2(start = 1, fixed = true);
  Real v1(start = 0, fixed = true), v2(start = 0, fixed = true);
  Real friction = mu * normal_force * sign(v1 - v2);
equation
  der(p1) = v1;
  der(p2) = v2;
  der(v1) = sin(time) - friction;
  der(v2) = friction;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end TwoBodiesStickSlip;
