// value y(1) = 10 +- 1e-9
model M
  function total
    input Integer n;
    output Real s;
  algorithm
    s := 0;
    for i in 1:n loop
      s := s + i;
    end for;
  end total;
  Real y = total(4);
equation
end M;
