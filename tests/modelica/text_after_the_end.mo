// error 6:1 expected 'model', 'function', 'record', 'type' or 'package', not 'and'
model M
  Real x = 1;
equation
end M;
and more
