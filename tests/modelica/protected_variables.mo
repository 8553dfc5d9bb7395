// value y(1) = 2 +- 1e-9
model M
  output Real y;
protected
  Real h = 1;
equation
  y = 2 * h;
end M;
