// value h(10) = 0.3210106037216827 +- 1e-6
// value n(10) = 7 +- 0
// events "when h <= 0" 7
// event "when h <= 0" 1.427843122927064 +- 1e-8
model BouncingBall "A ball that loses a fifth of its speed at each impact"
  parameter Real e = 0.8 "coefficient of restitution";
  parameter Real g(unit = "m/s2") = 9.81;
  Real h(start = 10, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
  Integer n(start = 0, fixed = true) "number of impacts";
  Boolean falling = v < 0;
equation
  der(h) = v;
  der(v) = -g;
  when h <= 0 then
    n = pre(n) + 1;
    reinit(v, -e * pre(v));
  end when;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end BouncingBall;
