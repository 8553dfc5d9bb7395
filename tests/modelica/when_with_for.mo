// value n[1](1) = 1 +- 0
// value n[2](1) = 4 +- 0
// value n[3](1) = 9 +- 0
model M "a loop inside of a when-clause"
  Real x(start = 0, fixed = true);
  Real n[3](each start = 0);
equation
  der(x) = 1;
  when x > 0.5 then
    for i in 1:3 loop
      n[i] = i * i;
    end for;
  end when;
end M;
