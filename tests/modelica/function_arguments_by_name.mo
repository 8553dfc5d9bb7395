// value a(1) = 12 +- 0
// value b(1) = 10 +- 0
model M
  function f
    input Real x;
    input Real scale = 5;
    input Real shift = 0;
    output Real y;
  algorithm
    y := scale * x + shift;
  end f;
  Real a = f(2, shift = 2), b = f(2);
equation
end M;
