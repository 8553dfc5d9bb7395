// error 9:12 'f' needs the argument 'a'
model M
  function f
    input Real a;
    output Real y;
  algorithm
    y := 2 * a;
  end f;
  Real y = f();
equation
end M;
