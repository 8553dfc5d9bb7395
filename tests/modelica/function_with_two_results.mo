// value a(1) = 5 +- 1e-12
// value b(1) = -1 +- 1e-12
model M
  function f
    input Real x, y;
    output Real s, d;
  algorithm
    s := x + y;
    d := x - y;
  end f;
  Real a, b;
equation
  (a, b) = f(2, 3);
end M;
