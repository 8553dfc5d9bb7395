// value x(1) = 0.8414709848078965 +- 1e-6
// value f(1) = 0.5403023058681398 +- 1e-6
model M "what drives x follows from where it shall be"
  Real x, f;
equation
  der(x) = f;
  x = sin(time);
end M;
