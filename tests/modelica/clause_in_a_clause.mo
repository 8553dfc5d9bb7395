// error 6:5 this is not supported inside of a when-clause
model M
  Integer n(start = 0);
equation
  when time > 0.5 then
    when time > 0.7 then
      n = 1;
    end when;
  end when;
end M;
