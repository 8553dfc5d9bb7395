// Checks the contract of a system: run it on a system of your own.
//
//   for (const std::string& finding : check_system(*my_system)) std::cerr << finding << '\n';
//
// or, with GoogleTest, EXPECT_THAT(check_system(*my_system), testing::IsEmpty()).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <saltus/system/system.hpp>

namespace saltus {

struct SystemCheckOptions {
  /// The number of random points around the start values, with relative and nominal spread 0.1.
  int n_points = 5;
  std::uint64_t seed = 1;
  double t = 0.0;
  /// The largest deviation of a Jacobian entry from differences, relative to the size of its row.
  double jacobian_tolerance = 1e-5;
};

/// Returns sentences that name violations; empty if the contract holds. Checks sizes and names, a
/// valid pattern, and that residual and Jacobian are finite, repeatable bit for bit, the same from
/// two workspaces and independent of earlier contents of the output. Compares Jacobian entries with
/// differences, looks for entries outside the pattern, and compares derivative flags with dF/dx'.
/// Checks that an explicit form solves the residual, and the variable map. Checks switching
/// functions (names, finite and repeatable values, zero where they do not matter, rates and
/// gradients against differences) and locks (set, read, decided; the same locks give the same
/// system). Checks hulls and series against samples along a step. Does *not* check that evaluations
/// allocate nothing (this needs a counting allocator).
std::vector<std::string> check_system(const System& system, const SystemCheckOptions& options = {});

}  // namespace saltus
