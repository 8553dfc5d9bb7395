// value x(1) = 1 +- 1e-7
model M
  type Length = Real(unit = "m", quantity = "Length", nominal = 10, min = -100);
  Length x(start = 0, fixed = true, displayUnit = "cm", max = 100) "how far";
equation
  der(x) = 1;
end M;
