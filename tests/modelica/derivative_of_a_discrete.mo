// error 3:17 'd' is set by a when-clause and has a derivative: a state starts anew by 'reinit'
model M
  discrete Real d(start = 0);
equation
  when time > 0.5 then
    d = 1;
  end when;
  der(d) = 1;
end M;
