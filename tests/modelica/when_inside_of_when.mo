// error 8:5 a when-clause inside of a when-clause: join their conditions by 'and'
model M
  Real x(start = 0, fixed = true);
  Integer n;
equation
  der(x) = 1;
  when x > 0.5 then
    when x > 0.7 then
      n = 1;
    end when;
  end when;
end M;
