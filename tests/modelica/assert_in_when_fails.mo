// outcome failed
// says too many
model M "looked at when the clause is carried out, with its new values"
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when {x > 0.2, x > 0.5} then
    n = pre(n) + 1;
    assert(n < 2, "too many");
  end when;
end M;
