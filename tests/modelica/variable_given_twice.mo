// error 8:3 'q' has two equations, in lines 7 and 8 (the model has 2 unknowns and 3 equations): remove one of them
model Tanks
  Real h1(start = 1, fixed = true);
  Real h2(start = 0, fixed = true);
  Real q;
equation
  q = if h1 > h2 then h1 - h2 else 0;
  q = 2*(h1 - h2);
  der(h1) = 1 - q;
  der(h2) = q;
end Tanks;
