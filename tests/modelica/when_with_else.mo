// error 9:3 a when-clause has no 'else': something would have to happen at every moment; 'elsewhen' has a condition of its own
model M
  Real x(start = 0, fixed = true);
  Integer n;
equation
  der(x) = 1;
  when x > 0.5 then
    n = 1;
  else
    n = 2;
  end when;
end M;
