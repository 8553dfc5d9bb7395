// error 6:5 a when-clause inside of a when-clause: join their conditions by 'and'
model M
  Integer n(start = 0);
equation
  when time > 0.5 then
    when time > 0.7 then
      n = 1;
    end when;
  end when;
end M;
