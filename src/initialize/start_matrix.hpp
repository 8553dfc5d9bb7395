// The matrix E + dF/dx Q of (I.1): regular exactly where a system has index 1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/numerics/linear_solver.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// E and dF/dx at a point, on the system's pattern.
struct JacobianValues {
  std::vector<double> df_dx;
  std::vector<double> df_dxdot;
};

class StartMatrix {
 public:
  virtual ~StartMatrix() = default;
  /// False if the matrix is singular.
  virtual bool factor(const JacobianValues& values) = 0;
  /// After factor() returned true: the matrix may be singular but for rounding.
  virtual bool is_doubtful() { return false; }
  /// w <- (E + dF/dx Q)^-1 w.
  virtual void solve(std::span<double> w) = 0;
  /// Splits w: into Q w, which moves x, and (I - Q) w, which moves x'.
  virtual void split(std::span<const double> w, std::span<double> x_part,
                     std::span<double> xdot_part) const = 0;
  /// After factor() returned false: which unknowns are not determined, by which equations.
  virtual std::string describe_singularity(const System& system) const = 0;
};

/// Q selects the unknowns without derivative: the sparse pattern is kept.
std::unique_ptr<StartMatrix> make_selecting_matrix(const System& system, Workspace& workspace);
/// Q from a rank decision on E: for equations such as C (x1' - x2') = …, dense. Unknowns that are marked in `stays`
/// (one flag each, or none) do not move if the equations can do without: then E x changes as little as possible.
std::unique_ptr<StartMatrix> make_projecting_matrix(const System& system,
                                                    std::vector<std::uint8_t> stays = {});

}  // namespace saltus::detail
