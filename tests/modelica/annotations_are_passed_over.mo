// value x(1) = 1 +- 0
model M
  Real x = 1 annotation(Dialog(group = "of a tool", tab = {1, 2}), HideResult = true);
equation
  annotation(Icon(graphics = {Line(points = {{0, 0}, {1, 1}})}), version = "1");
end M;
