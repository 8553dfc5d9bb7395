// error 5:12 this makes the text too long: more than 20000000 elements and statements would be written out, which is the limit; make arrays and loops shorter
model M
  Real x;
equation
  for i in 1:1000000000 loop
    x = i;
  end for;
end M;
