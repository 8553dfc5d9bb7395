// error 7:3 'd' is set at the start by this initial equation and by the when-clause in line 10: leave one of them out
model M
  parameter Real p = 3;
  Real x(start = 0, fixed = true);
  discrete Real d;
initial equation
  d = 2 * p;
equation
  der(x) = 1;
  when initial() then
    d = 1;
  end when;
end M;
