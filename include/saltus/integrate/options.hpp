// What can be asked of an engine.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/numerics/linear_solver.hpp>

namespace saltus {

enum class EngineKind : std::uint8_t {
  automatic,
  ida,     // SUNDIALS IDA: BDF of orders 1 to 5
  radau,   // Radau IIA of order 5
  dopri5,  // Dormand-Prince 5(4), explicit
  dop853,  // Dormand-Prince 8(5,3), explicit
};

constexpr auto option_choices(EngineKind) {
  return std::array{Choice{"automatic", EngineKind::automatic}, Choice{"ida", EngineKind::ida},
                    Choice{"radau", EngineKind::radau}, Choice{"dopri5", EngineKind::dopri5},
                    Choice{"dop853", EngineKind::dop853}};
}
constexpr auto option_choices(LinearSolverKind) {
  return std::array{Choice{"automatic", LinearSolverKind::automatic},
                    Choice{"dense", LinearSolverKind::dense},
                    Choice{"sparse", LinearSolverKind::sparse}};
}

std::string_view name(EngineKind kind) noexcept;

/// Numbers an engine works with; made from a user's options by whoever composes a run.
struct EngineOptions {
  /// A step is accepted if the weighted root mean square of its error estimate is <= 1, where
  /// component i is divided by rtol |x_i| + atol_i.
  double rtol = 1e-6;
  /// One value for all unknowns, or one per unknown.
  std::vector<double> atol = {1e-8};

  double initial_step = 0.0;  // 0: found automatically
  double min_step = 0.0;      // steps below max(min_step, a few ulp of t) are a failure
  double max_step = std::numeric_limits<double>::infinity();
  /// > 0: every step has this length (the last one before a bound is shorter) and no error is
  /// controlled. For the study of orders; not for IDA.
  double fixed_step = 0.0;
  int max_order = 5;  // of IDA
  LinearSolverKind linear_solver = LinearSolverKind::automatic;
  /// One flag per unknown that must not become negative, or empty. A step that ends below zero by
  /// more than its absolute tolerance is repeated smaller; what remains is set to zero and counted.
  /// Where an equation cannot be evaluated because such an unknown is negative inside a step, zero
  /// stands in for it.
  std::vector<std::uint8_t> non_negative = {};
};

}  // namespace saltus
