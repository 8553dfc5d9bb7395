// value y(1) = 16 +- 1e-9
model M "the smallest power of two that is not below 10"
  function above
    input Real limit;
    output Real p;
  algorithm
    p := 1;
    while p < limit loop
      p := 2 * p;
    end while;
  end above;
  parameter Real y0 = above(10);
  Real y = y0;
equation
end M;
