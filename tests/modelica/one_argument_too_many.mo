// error 9:17 the function 'f' has 1 input: this is one argument too many
model M
  function f
    input Real a;
    output Real y;
  algorithm
    y := 2 * a;
  end f;
  Real y = f(1, 2);
equation
end M;
