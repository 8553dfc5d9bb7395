// error 7:12 'y' is not a state: 'reinit' takes variables that occur with 'der'
model M
  Real x(start = 0, fixed = true), y = x;
equation
  der(x) = 1;
  when x > 0.5 then
    reinit(y, 2);
  end when;
end M;
