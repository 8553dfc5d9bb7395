// Whether surfaces go on to determine their multipliers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/monitoring.hpp>

namespace saltus::detail {

/// How a form of the equations knows how fast its surfaces attract.
class AttractionSource {
 public:
  virtual ~AttractionSource() = default;
  /// -dV_k/du_l at [k z + l]: on one surface half of what its sides move towards each other.
  virtual Evaluation attraction(double t, std::span<const double> x, std::span<const double> xdot,
                                std::span<double> matrix) = 0;
};

/// The determinant of -dV/du, times that of the base as it is told to be. Where the first one vanishes, a
/// surface ceases to attract, and solutions beyond are not unique.
class SlidingRegularity final : public Regularity {
 public:
  /// `base` may be null. Names are those of the surfaces.
  SlidingRegularity(std::size_t n_base, Regularity* base, AttractionSource& attraction,
                    std::vector<std::string> names);

  /// The first determinant that follows is the one to compare with.
  void begin_again() { first_matrix_.clear(); }

  bool is_signed() const override { return base_ == nullptr || base_->is_signed(); }
  Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                         SignedLogarithm& value) override;
  bool confirm(double t, std::span<const double> x, std::span<const double> xdot) override;
  Loss describe_loss(double t, std::span<const double> x, std::span<const double> xdot) override;

 private:
  Evaluation own_determinant(double t, std::span<const double> x, std::span<const double> xdot,
                             SignedLogarithm& value);
  /// Whether it is the surfaces, and not the base, whose determinant has fallen.
  bool is_of_surfaces(double t, std::span<const double> x, std::span<const double> xdot);

  std::size_t n_;
  Regularity* base_;
  AttractionSource& attraction_;
  std::vector<std::string> names_;
  std::vector<double> matrix_, first_matrix_, eliminated_;
  double first_own_ = 0.0, first_base_ = 0.0;
};

}  // namespace saltus::detail
