// value n[1](1) = 1 +- 0
// value n[2](1) = 1 +- 0
// value n[3](1) = 0 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n[3](each start = 0);
equation
  der(x) = 1;
  for i in 1:3 loop
    when x > i * 0.4 then
      n[i] = pre(n[i]) + 1;
    end when;
  end for;
end M;
