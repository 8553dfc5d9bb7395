// value y(1) = 3 +- 0
model M
  output Real y;
protected
  Real hidden;
equation
  hidden = 1.5;
  y = 2 * hidden;
end M;
