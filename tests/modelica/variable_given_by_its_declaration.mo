// error 6:3 'q' has two equations, in lines 4 and 6 (the model has 1 unknown and 2 equations): remove one of them
model Tank
  Real h(start = 1, fixed = true);
  Real q = 0.001;
equation
  q = 2*h;
  der(h) = 1 - q;
end Tank;
