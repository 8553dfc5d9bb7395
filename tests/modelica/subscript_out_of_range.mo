// error 6:19 'u' has elements 1 to 3, this is 4
model M
  Real u[3](each start = 0, each fixed = true);
equation
  for i in 1:3 loop
    der(u[i]) = u[i + 1];
  end for;
end M;
