// value x(1) = 1 +- 1e-12
within ;
/* a comment
   of two lines; it contains "quotes" and 'end' */
model M "a description with \"quotes\" and 2 /* no comment */"
  parameter String name = "text; with // signs" "what it is called";
  Real x = 1 "one" annotation(Dialog(group = "none"));
equation
  annotation(Documentation(info = "<html>(unbalanced</html>"), experiment(StopTime = 1));
end M;
