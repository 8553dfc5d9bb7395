// value h(1) = 0.6 +- 1e-7
// event "when h < 0" 0.8 +- 1e-8
model M "falls for 0.8 s at speed 1, then rises with twice that speed... and a half"
  Real h(start = 0.8, fixed = true), v(start = -1, fixed = true);
equation
  der(h) = v;
  der(v) = 0;
  when h < 0 then
    reinit(v, -3 * pre(v));
  end when;
end M;
