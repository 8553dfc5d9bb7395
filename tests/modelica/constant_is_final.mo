// value x(1) = 6 +- 1e-9
model M
  constant Real c = 2;
  final parameter Real p = 3 * c;
  Real x = p;
equation
end M;
