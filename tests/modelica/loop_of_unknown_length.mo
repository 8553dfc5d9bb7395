// error 9:14 the end of a range must be known when the text is read, but 'k' is a variable
model M
  Real x[3];
  Integer k(start = 2);
equation
  when time > 0.5 then
    k = 3;
  end when;
  for i in 1:k loop
    x[i] = i;
  end for;
end M;
