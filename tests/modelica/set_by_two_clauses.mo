// error 11:5 'n' is set by two when-clauses, the other one in line 7: join them by 'elsewhen'
model M
  Real x(start = 0, fixed = true);
  Integer n;
equation
  der(x) = 1;
  when x > 0.5 then
    n = 1;
  end when;
  when x > 0.7 then
    n = 2;
  end when;
end M;
