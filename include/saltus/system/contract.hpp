// The contract of a system as a test: run it on a system of your own.
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
  /// Random points around the start values, relative and nominal spread 0.1.
  int n_points = 5;
  std::uint64_t seed = 1;
  double t = 0.0;
  /// A Jacobian entry may differ from differences by this times the size of its row.
  double jacobian_tolerance = 1e-5;
};

/// Sentences naming what is broken; empty if the contract holds. Checked: sizes and names; a valid
/// pattern; residual and Jacobian finite, repeatable bit for bit, the same from two workspaces, not
/// depending on what was in the output before; Jacobian entries against differences, and nothing
/// outside the pattern; derivative flags against dF/dx'; an explicit form that solves the residual;
/// the variable map; switching functions (names, finite and repeatable values, zero where they do not
/// matter, rates and gradients against differences), locks (set, read, decided; the same locks give the
/// same system), hulls and series against samples along a step; no allocation is *not* checked here (it needs a counting allocator).
std::vector<std::string> check_system(const System& system, const SystemCheckOptions& options = {});

}  // namespace saltus
