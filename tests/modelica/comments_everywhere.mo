// value x(1) = 3 +- 0
model /* here */ M // and here
  Real x /* an end: **/ = 1 + /* 2 */ 2; // "no string"
  parameter String s = "// no comment /* neither */";
equation
  /* nothing
     at all */
end M /* last */ ;
