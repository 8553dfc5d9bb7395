// value x(1) = 1 +- 1e-7
model /* a name */ M // here
  Real x(start = 0, /* stated */ fixed = true);
equation
  der(x) = /* one */ 1;
end M /* end */;
