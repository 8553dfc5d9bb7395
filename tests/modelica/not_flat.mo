// error 3:3 'extends' belongs to models that are not flat: let a Modelica compiler flatten it first
model M
  extends Base;
  Real x = 1;
equation
end M;
