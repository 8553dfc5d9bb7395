// value a b(1) = 1 +- 0
// value x.y[1](1) = 2 +- 0
model 'my model'
  Real 'a b' = 1, 'x.y[1]' = 2 * 'a b';
equation
end 'my model';
