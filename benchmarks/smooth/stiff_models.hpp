// Two stiff models as somebody who drives IDA by hand would write them: plain functions over arrays.
#pragma once

#include <memory>
#include <vector>

#include <saltus/numerics/sparse.hpp>
#include <saltus/system/system.hpp>

namespace saltus::bench {

struct HandModel {
  CscPattern pattern;
  std::vector<double> y0, ydot0;
  double t_end = 0.0;
  double rtol = 0.0, atol = 0.0;
  void (*residual)(double t, const double* y, const double* ydot, double* f) = nullptr;
  /// dF/dy; dF/dy' is the unit matrix of both models.
  void (*jacobian)(const double* y, double* values) = nullptr;
  std::vector<index_t> diagonal;  // slots
};

/// Brusselator with diffusion on a line (Hairer, Wanner: Solving ODEs II, section IV.1), 100 cells:
/// u_t = 1 + u^2 v - 4 u + a u_xx, v_t = 3 u - u^2 v + a v_xx, a = 1/50, u = 1 and v = 3 at the ends.
HandModel brusselator();
/// Robertson's kinetics.
HandModel robertson();

/// The functions of a model behind the interface of a system.
std::shared_ptr<const System> hand_written_system(const HandModel& model);
/// The same equations written as a Model and compiled.
std::shared_ptr<const System> compiled_brusselator();
std::shared_ptr<const System> compiled_robertson();

}  // namespace saltus::bench
