// Counts calls of operator new in this process.
#pragma once

namespace saltus::test {

/// False under sanitizers, which bring an allocator of their own.
bool counts_allocations();
/// Allocations so far, of all threads.
long allocations();

}  // namespace saltus::test
