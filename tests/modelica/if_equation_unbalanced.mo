// error 9:3 the branches of an if-equation need the same number of equations: this one has 2, the first one (line 7) 1; write one for 'z' in the first one, too
model M
  Real x(start = 0, fixed = true), y, z;
equation
  der(x) = 1;
  z = y;
  if x < 0.5 then
    y = x;
  else
    y = 1;
    z = 2;
  end if;
end M;
