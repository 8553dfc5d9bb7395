// error 10:9 a subscript must be known when the text is read, but 'k' is a variable
model M
  Real v[2] = {1, 2};
  Integer k(start = 1);
  Real x;
equation
  when time > 0.5 then
    k = 2;
  end when;
  x = v[k];
end M;
