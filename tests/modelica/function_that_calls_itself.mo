// error 7:14 functions call each other more than 40 levels deep: 'f' may call itself
model M
  function f
    input Real x;
    output Real y;
  algorithm
    y := 1 + f(x);
  end f;
  Real x(start = 1, fixed = true);
  Real y = f(x);
equation
  der(x) = 1;
end M;
