// error 3:10 records are not supported: let a Modelica compiler expand them into their components
model M
  record R
    Real a;
  end R;
  Real x = 1;
equation
end M;
