// value n(1) = 5 +- 1e-12
// value u[2](1) = 0.8 +- 1e-12
model M
  function norm
    input Real v[:];
    output Real n;
  algorithm
    n := 0;
    for i in 1:size(v, 1) loop
      n := n + v[i] ^ 2;
    end for;
    n := sqrt(n);
  end norm;
  function direction
    input Real v[:];
    output Real u[size(v, 1)];
  algorithm
    u := v / norm(v);
  end direction;
  parameter Real v[2] = {3, 4};
  Real n = norm(v), u[2] = direction(v);
equation
end M;
