// error 7:3 this if-equation has no 'else': where no condition holds, 1 equation is missing; write an 'else' with as many equations
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  if x < 0.3 then
    y = 1;
  end if;
end M;
