// value y(1) = 9 +- 1e-12
// value z(1) = 3 +- 1e-12
model M
  function square
    input Real x;
    output Real y;
  algorithm
    y := x * x;
  end square;
  function root
    input Real x;
    input Integer n = 20;
    output Real y;
  protected
    Real guess;
  algorithm
    guess := 1;
    for i in 1:n loop
      guess := (guess + x / guess) / 2;
    end for;
    y := guess;
  end root;
  parameter Real p = 3;
  Real y = square(p), z = root(y, n = 30);
equation
end M;
