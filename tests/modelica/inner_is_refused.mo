// error 3:3 'inner' belongs to models that are not flat: let a Modelica compiler flatten it first
model M
  inner Real x = 1;
equation
end M;
