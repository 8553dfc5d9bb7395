// error 6:17 'T' starts at -10, which is outside of its range from 0 to inf
model M
  type Length = Real(unit = "m");
  type Temperature = Real(unit = "K", min = 0);
  Length l = 1;
  Temperature T(start = -10);
equation
  der(T) = 1;
end M;
