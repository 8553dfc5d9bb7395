// error 7:8 'terminal' takes 0 arguments, not 1
model M
  Real x(start = 0, fixed = true);
  Integer n;
equation
  der(x) = 1;
  when terminal(1) then
    n = 1;
  end when;
end M;
