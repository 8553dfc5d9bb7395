// error 5:3 'connect' belongs to models that are not flat: let a Modelica compiler flatten it first
model M
  Real x = 1;
equation
  connect(a, b);
end M;
