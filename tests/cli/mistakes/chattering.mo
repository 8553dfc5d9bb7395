model Relay
  Real x(start = 0, fixed = true);
equation
  der(x) = if x > 0 then -1 else 1;
end Relay;
