// How the equations of the vertices enter a DAE of motion on surfaces.
#pragma once

#include <memory>
#include <span>

#include "slide/dae/mixed_point.hpp"

namespace saltus::detail {

/// Writes the rows that are not those of surfaces: a mixture of equations, or copies of them and the mixture of their motions.
/// All is asked for at the point loaded last.
class VertexForm {
 public:
  struct Seen {
    std::span<const double> x, xdot;
  };

  virtual ~VertexForm() = default;
  virtual Evaluation rows(double t, std::span<const double> x, std::span<const double> xdot,
                          std::span<double> f) = 0;
  /// Adds to entries that are zero.
  virtual Evaluation jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                              std::span<double> df_dxdot) = 0;
  /// x and x' of a vertex, until the next question.
  virtual Seen at(std::uint32_t vertex, std::span<const double> x) = 0;
  /// After a step: true if unknowns now stand for something else, because the base integrates others.
  virtual bool change_meaning(std::span<const double> x) = 0;
};

std::unique_ptr<VertexForm> vertex_form(const MixedLayout& layout, BaseAtSides& base,
                                        MixedPoint& point);

}  // namespace saltus::detail
