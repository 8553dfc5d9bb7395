// error 9:21 the input 'a' of 'f' is given twice
model M
  function f
    input Real a;
    output Real y;
  algorithm
    y := 2 * a;
  end f;
  Real y = f(1, a = 2);
equation
end M;
