//! base 0.1.0
// value a.b c(1) = 2 +- 1e-7
package 'P'
  model 'M'
    parameter Real 'rate of change' = 1.0;
    Real 'a.b c'(start = 1.0, fixed = true);
  equation
    der('a.b c') = 'rate of change';
  end 'M';
end 'P';
