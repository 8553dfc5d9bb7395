// warning 4:14 nothing drives the input 'u': it keeps its start value 2
// value x(1) = 2 +- 1e-7
model M
  input Real u(start = 2);
  Real x(start = 0, fixed = true);
equation
  der(x) = u;
end M;
