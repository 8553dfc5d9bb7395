// error 5:3 a when-clause among initial equations: only the start happens there
model M
  Real x(start = 0, fixed = true);
initial equation
  when x > 1 then
    reinit(x, 0);
  end when;
equation
  der(x) = 1;
end M;
