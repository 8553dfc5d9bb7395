// error 5:5 the model is called 'M', its end 'N'
model M
  Real x = 1;
equation
end N;
