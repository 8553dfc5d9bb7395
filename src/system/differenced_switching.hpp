// Switching functions of which only values are known: rates and gradients by differences.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <saltus/system/switching.hpp>

namespace saltus::detail {

/// Differences of fourth order, (8 (g_1 - g_-1) - (g_2 - g_-2)) / 12 h, with the relative increment
/// h = 30 cbrt(eps) = 1.8e-4: rounding leaves about 1e-12 of the terms of g, and motion on a surface, whose rate
/// is kept at zero, can be integrated to that. Where g is not smooth on that length, or cannot be evaluated,
/// central differences with the increment cbrt(eps), whose error is about eps^(2/3) = 4e-11, or one-sided ones,
/// about eps^(1/3): enough to start an iteration for a zero, or to tell a direction.
class DifferencedSwitching final : public SwitchingFunctions {
 public:
  using Evaluate =
      std::function<Evaluation(double t, std::span<const double> x, std::span<double> g)>;

  struct Parts {
    std::span<const SwitchInfo> infos;
    const CscPattern& pattern;  // full
    std::span<const double> nominal;
    std::vector<std::uint8_t>& relations;  // one truth value per function
    /// Whether a function matters where these relations hold; empty: always.
    const std::function<bool(std::uint32_t which, std::span<const std::uint8_t>)>& matters;
  };

  /// The parts outlive this. `evaluate` writes finite values, or NaN where it cannot.
  DifferencedSwitching(const Parts& parts, Evaluate evaluate);

  std::uint32_t count() const override { return static_cast<std::uint32_t>(parts_.infos.size()); }
  const SwitchInfo& info(std::uint32_t which) const override { return parts_.infos[which]; }
  void set_relations(std::span<const std::uint8_t> truth) override;
  bool is_active(std::uint32_t which) const override {
    return !parts_.matters || parts_.matters(which, parts_.relations);
  }
  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> g) override;
  /// Costs as much as all of them.
  Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                          std::span<const double> xdot, double& g) override;
  Evaluation rates(double t, std::span<const double> x, std::span<const double> xdot,
                   std::span<double> g, std::span<double> gdot) override;
  const CscPattern& gradient_pattern() const override { return parts_.pattern; }
  Evaluation gradients(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<double> dg_dx) override;
  double next_time(double, double t_end) override { return t_end; }
  bool is_timed(std::uint32_t) const override { return false; }
  bool is_due(std::uint32_t, double) override { return false; }

 private:
  /// `move(increments)` sets a neighbour and returns how far it is from the base point.
  template <class Move>
  Evaluation difference(const Move& move, std::span<double> slope);
  template <class Move>
  bool wide_difference(const Move& move, std::span<double> slope);
  bool is_smooth(std::size_t which) const;

  /// What matters is finite, what does not is zero.
  Evaluation evaluate_active(double t, std::span<const double> x, std::span<double> g);

  Parts parts_;
  Evaluate evaluate_;

  double t_moved_ = 0.0;
  std::vector<double> x_moved_, g_base_, g_above_, g_below_;
  std::vector<double> g_wide_[4];  // at -2, -1, 1, 2 wide increments
  std::vector<double> size_;       // of the terms of each function, as its last gradient tells
};

/// All rows in all columns.
CscPattern full_pattern(std::size_t n_rows, std::size_t n_cols);

}  // namespace saltus::detail
