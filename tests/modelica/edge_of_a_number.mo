// error 8:8 'edge' takes a Boolean variable
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0), k;
equation
  der(x) = 1;
  n = if x > 0.5 then 1 else 0;
  when edge(n) then
    k = 1;
  end when;
end M;
