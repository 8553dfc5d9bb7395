// value x(1) = 0 +- 1e-6
// instant 0.5 +- 1e-7
// instants 1
model M "both sides lead to x = 0: the solution stays there"
  Real x(start = 0.5, fixed = true);
equation
  der(x) = -sign(x);
end M;
