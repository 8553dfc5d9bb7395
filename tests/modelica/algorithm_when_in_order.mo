// value n(1) = 5 +- 0
model M "statements of a when-clause are carried out one after the other"
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
algorithm
  when x > 0.5 then
    n := 2;
    n := 2 * n + 1;
  end when;
end M;
