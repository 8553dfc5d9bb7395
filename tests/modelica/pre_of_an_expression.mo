// error 8:13 'pre' takes a variable, not an expression
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when x > 0.5 then
    n = pre(n + 1);
  end when;
end M;
