// outcome terminal_event
// says enough
// event "when x > 0.5" 0.5 +- 1e-8
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when x > 0.5 then
    n = 1;
    terminate("enough");
  end when;
end M;
