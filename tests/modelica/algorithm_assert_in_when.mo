// outcome failed
// says n is large
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
algorithm
  when x > 0.5 then
    n := 2;
    assert(x < 0.4, "n is large");
  end when;
end M;
