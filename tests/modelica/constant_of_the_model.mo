// value c(1) = 6.283185307179586 +- 1e-15
model M
  constant Real pi = 2 * asin(1.0);
  final parameter Real two = 2;
  Real c = two * pi;
equation
end M;
