// value y(1) = 17 +- 0
model M "Horner's scheme: 1 + 2 x + 3 x^2 at x = 2"
  function polynomial
    input Real c[:], x;
    output Real y;
  algorithm
    y := 0;
    for i in size(c, 1):-1:1 loop
      y := y * x + c[i];
    end for;
  end polynomial;
  Real y = polynomial({1, 2, 3}, 2);
equation
end M;
