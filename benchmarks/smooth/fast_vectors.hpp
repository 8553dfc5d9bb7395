// Vector operations of SUNDIALS as a careful user would compile them. Debian's library is built
// without optimisation: a comparison with it alone would flatter us.
#pragma once

#include <nvector/nvector_serial.h>

namespace saltus::bench {

/// Replaces the operations IDA uses most; clones of the vector inherit them.
void use_fast_operations(N_Vector v);

}  // namespace saltus::bench
