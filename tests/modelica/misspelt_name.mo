// error 7:28 'vbelt' is not declared: did you mean 'v_belt'?
model M
  parameter Real v_belt = 0.2;
  Real v(start = 1, fixed = true);
equation
  // the sign of the slip
  der(v) = -sign(v) + 2 * (vbelt - v);
end M;
