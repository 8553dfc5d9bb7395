// value x(0.7) = 0.45 +- 1e-7
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 10 then
    reinit(x, 0);
  elsewhen x > 0.5 then
    reinit(x, 0.25);
  end when;
end M;
