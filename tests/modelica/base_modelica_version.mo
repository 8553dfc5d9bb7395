//! base 9.9.9
// warning 1:1 this is Base Modelica 9.9.9, of which only version 0.1.0 is known
// value x(1) = 1 +- 1e-7
package 'P'
  model 'M'
    Real 'x'(start = 0, fixed = true);
  equation
    der('x') = 1;
  end 'M';
end 'P';
