// warning 6:25 'Stoptime' of the experiment is not read: did you mean 'StopTime'?
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  annotation(experiment(Stoptime = 3, __Other_Steps = 500, Tolerance = 1e-8));
end M;
