// error 2:1 expected 'model', 'function', 'record', 'type' or 'package', not 'Model': did you mean 'model'?
Model M
  Real x = 1;
equation
end M;
