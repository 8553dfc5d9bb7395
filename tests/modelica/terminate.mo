// outcome terminal_event
// says it is high enough
// event "when x > 0.5" 0.5 +- 1e-9
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then
    terminate("it is high enough");
  end when;
end M;
