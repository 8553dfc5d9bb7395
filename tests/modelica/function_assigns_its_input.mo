// error 7:5 'a' is an input of the function
model M
  function f
    input Real a;
    output Real y;
  algorithm
    a := 2;
    y := a;
  end f;
  Real y = f(1);
equation
end M;
