// value a(1) = 3 +- 0
// value b(1) = -4 +- 0
model M
  function turned
    input Real v[2];
    output Real w[2];
  algorithm
    w[1] := v[2];
    w[2] := -v[1];
  end turned;
  Real w[2] = turned({4, 3});
  Real a = w[1], b = w[2];
equation
end M;
