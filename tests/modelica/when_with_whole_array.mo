// value n[1](1) = 3 +- 0
// value n[2](1) = 4 +- 0
model M
  Real x(start = 0, fixed = true);
  discrete Real n[2](each start = 0);
equation
  der(x) = 1;
  when x > 0.5 then
    n = {3, 4};
  end when;
end M;
