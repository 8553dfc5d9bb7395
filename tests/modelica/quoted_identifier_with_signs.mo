// value a+b(1) = 1 +- 1e-7
model 'my model'
  Real 'a+b'(start = 0, fixed = true);
equation
  der('a+b') = 1;
end 'my model';
