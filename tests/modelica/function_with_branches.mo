// value y(0.25) = 0.25 +- 1e-7
// value y(0.75) = 1.5 +- 1e-7
// event "x < 0.5" 0.5 +- 1e-9
model M "relations of functions are events, too"
  function f
    input Real x;
    output Real y;
  algorithm
    if x < 0.5 then
      y := x;
    else
      y := 2 * x;
    end if;
  end f;
  Real x(start = 0, fixed = true), y = f(x);
equation
  der(x) = 1;
end M;
