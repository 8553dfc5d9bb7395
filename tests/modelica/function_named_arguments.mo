// value y(1) = 7 +- 1e-9
model M
  function f
    input Real a;
    input Real b = 3;
    output Real y;
  algorithm
    y := 2 * a + b;
  end f;
  Real y = f(a = 2);
equation
end M;
