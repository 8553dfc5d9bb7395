// value x(1) = 0.36787944117144233 +- 1e-6
//! base 0.1.0
package 'Decay'
  model 'Decay' "as compilers write it"
    parameter Real 'k' = 1.0;
    Real 'x'(start = 1.0, fixed = true);
  equation
    der('x') = -'k' * 'x';
  end 'Decay';
end 'Decay';
