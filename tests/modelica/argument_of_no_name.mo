// error 9:18 the function 'f' has no input 'b': its inputs are 'a'
model M
  function f
    input Real a;
    output Real y;
  algorithm
    y := 2 * a;
  end f;
  Real y = f(b = 1);
equation
end M;
