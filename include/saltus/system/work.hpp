// Counts the work of an engine; it measures no seconds.
#pragma once

#include <cstdint>

namespace saltus {

struct WorkCounts {
  std::uint64_t n_steps = 0;  // accepted
  std::uint64_t n_error_failures = 0;
  std::uint64_t n_convergence_failures = 0;
  std::uint64_t n_refused_points = 0;  // out of domain, or refused by a stage check
  std::uint64_t n_evaluations = 0;     // residual, or right-hand side of an explicit engine
  std::uint64_t n_jacobians = 0;
  std::uint64_t n_factorizations = 0;  // a real and a complex one count as two
  std::uint64_t n_newton_iterations = 0;
  std::uint64_t n_starts = 0;       // start() calls: the first one and every restart
  std::uint64_t n_corrections = 0;  // small negative values set to zero on request
  double largest_correction = 0.0;
  double last_step = 0.0;
  double next_step = 0.0;
  int last_order = 0;
  int next_order = 0;

  /// Adds counts; sizes and orders become those of the later work.
  WorkCounts& operator+=(const WorkCounts& later) {
    n_steps += later.n_steps;
    n_error_failures += later.n_error_failures;
    n_convergence_failures += later.n_convergence_failures;
    n_refused_points += later.n_refused_points;
    n_evaluations += later.n_evaluations;
    n_jacobians += later.n_jacobians;
    n_factorizations += later.n_factorizations;
    n_newton_iterations += later.n_newton_iterations;
    n_starts += later.n_starts;
    n_corrections += later.n_corrections;
    if (later.largest_correction > largest_correction) {
      largest_correction = later.largest_correction;
    }
    last_step = later.last_step;
    next_step = later.next_step;
    last_order = later.last_order;
    next_order = later.next_order;
    return *this;
  }
};

}  // namespace saltus
