// value n(0.4) = 1 +- 0
// value n(1) = 20 +- 0
model M "an if-equation inside of a when-clause"
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when {x > 0.3, x > 0.7} then
    if x < 0.5 then
      n = 1;
    else
      n = 20;
    end if;
  end when;
end M;
