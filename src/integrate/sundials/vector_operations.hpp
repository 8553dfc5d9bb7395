// Vector operations of our own for the vectors IDA works with.
//
// A distribution may ship SUNDIALS compiled without optimisation (Debian 12 does: its loops are -O0
// code), and then IDA spends four fifths of its time in them. Vectors are objects with a table of
// functions, which this replaces where IDA's steps use it; results are those of the originals bit for
// bit, except that norms are summed in four parts.
#pragma once

#include <nvector/nvector_serial.h>

namespace saltus::detail::sundials {

/// For a serial vector; clones inherit it.
void use_own_operations(N_Vector v);

}  // namespace saltus::detail::sundials
