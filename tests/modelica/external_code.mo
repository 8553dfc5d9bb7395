// error 8:12 the function 'f' has external code, which is never executed
model M
  function f
    input Real x;
    output Real y;
    external "C" y = system(x);
  end f;
  Real y = f(2);
equation
end M;
