// error 3:8 'x' is set by a when-clause and has a derivative: a state starts anew by 'reinit'
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then
    x = 0;
  end when;
end M;
