// Jacobian, pattern and flags against central differences of the residual.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <saltus/core/text.hpp>

#include <saltus/system/abilities.hpp>

#include "system/contract/trial.hpp"

namespace saltus::detail {

namespace {

constexpr double contract_eps = std::numeric_limits<double>::epsilon();
constexpr index_t no_slot = -1;

/// How the rows change with one unknown or one derivative.
struct RowChanges {
  double width = 0.0;            // of the difference
  std::vector<double> change;    // F(+) - F(-)
  std::vector<double> rounding;  // what F(+) and F(-) may differ by for no reason

  double quotient(std::size_t row) const { return change[row] / width; }
  bool is_real(std::size_t row) const { return std::fabs(change[row]) > rounding[row]; }
};

class DerivativeCheck {
 public:
  DerivativeCheck(Trial& trial, std::vector<std::uint8_t>& derivative_seen)
      : trial_(trial),
        pattern_(trial.system.pattern()),
        derivative_seen_(derivative_seen),
        df_dx_(pattern_.row.size()),
        df_dxdot_(pattern_.row.size()),
        slot_(trial.size(), no_slot) {}

  /// False if the Jacobian cannot be evaluated here.
  bool run(const TrialPoint& point) {
    point_ = point;
    if (!trial_.workspace->jacobian(trial_.t(), point.x, point.xdot, df_dx_, df_dxdot_)) {
      return false;
    }
    measure_rows();
    for (std::size_t j = 0; j < trial_.size(); ++j) {
      const auto begin = static_cast<std::size_t>(pattern_.column_start[j]);
      const auto end = static_cast<std::size_t>(pattern_.column_start[j + 1]);
      for (auto s = begin; s < end; ++s) {
        slot_[static_cast<std::size_t>(pattern_.row[s])] = static_cast<index_t>(s);
      }
      check_column(j, point_.x, df_dx_, "dF/dx");
      check_column(j, point_.xdot, df_dxdot_, "dF/dx'");
      for (auto s = begin; s < end; ++s) slot_[static_cast<std::size_t>(pattern_.row[s])] = no_slot;
    }
    return true;
  }

 private:
  /// The size of a row: the largest effect that a typical change of one unknown has on it.
  void measure_rows() {
    row_size_.assign(trial_.size(), 0.0);
    for (std::size_t j = 0; j < trial_.size(); ++j) {
      const auto end = static_cast<std::size_t>(pattern_.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(pattern_.column_start[j]); s < end; ++s) {
        double& size = row_size_[static_cast<std::size_t>(pattern_.row[s])];
        size = std::max({size, std::fabs(df_dx_[s]) * magnitude_at(trial_, point_.x, j),
                         std::fabs(df_dxdot_[s]) * magnitude_at(trial_, point_.xdot, j)});
      }
    }
  }

  /// `moved` is x or x' of the point, `entries` the part of the Jacobian that belongs to it.
  void check_column(std::size_t j, std::vector<double>& moved, std::span<const double> entries,
                    const std::string& part) {
    // eps^(1/3) balances rounding and curvature of a central difference. The smaller increment is a
    // second opinion: a kink or a boundary of the domain may be in between.
    const double wide = std::cbrt(contract_eps) * magnitude_at(trial_, moved, j);
    const double narrow = wide / 64.0;
    auto changes = changes_of(j, moved, wide);
    auto second = changes ? std::nullopt : changes_of(j, moved, narrow);
    if (!changes) changes = second;
    if (!changes) return;

    const bool is_derivative = &moved == &point_.xdot;
    for (std::size_t i = 0; i < trial_.size(); ++i) {
      if (is_derivative && changes->is_real(i)) check_flag(i, j);
      if (slot_[i] == no_slot) {
        if (changes->is_real(i)) report_outside(i, j, part, changes->quotient(i));
        continue;
      }
      const double entry = entries[static_cast<std::size_t>(slot_[i])];
      const double scale = magnitude_at(trial_, moved, j);
      if (agrees(entry, *changes, i, scale)) continue;
      if (!second) second = changes_of(j, moved, narrow);
      if (second && agrees(entry, *second, i, scale)) continue;
      report_entry(i, j, part, entry, changes->quotient(i));
    }
  }

  std::optional<RowChanges> changes_of(std::size_t j, std::vector<double>& moved,
                                       double increment) {
    std::vector<double> above(trial_.size());
    std::vector<double> below(trial_.size());
    const double centre = moved[j];
    moved[j] = centre + increment;
    const double right = moved[j];
    const Evaluation first = trial_.workspace->residual(trial_.t(), point_.x, point_.xdot, above);
    moved[j] = centre - increment;
    const double left = moved[j];
    const Evaluation second = trial_.workspace->residual(trial_.t(), point_.x, point_.xdot, below);
    moved[j] = centre;
    if (!first || !second) return std::nullopt;

    RowChanges result{.width = right - left, .change = {}, .rounding = {}};
    for (std::size_t i = 0; i < above.size(); ++i) {
      result.change.push_back(above[i] - below[i]);
      // A few roundings of the sum of its terms, of which the value itself is one measure and the
      // size of the row another.
      result.rounding.push_back(8.0 * contract_eps *
                                std::max({std::fabs(above[i]), std::fabs(below[i]), row_size_[i]}));
    }
    return result;
  }

  bool agrees(double entry, const RowChanges& changes, std::size_t row, double scale) const {
    const double allowed = trial_.options.jacobian_tolerance * row_size_[row] +
                           changes.rounding[row] * scale / changes.width;
    return std::fabs(entry - changes.quotient(row)) * scale <= allowed;
  }

  std::string subject(std::size_t row, std::size_t column) const {
    return trial_.equation(row) + trial_.unknown(column);
  }

  void check_flag(std::size_t row, std::size_t column) {
    derivative_seen_[column] = 1;
    if (trial_.system.carries_derivative()[column]) return;
    trial_.findings.add("derivative flags", trial_.unknown(column),
                        "the derivative of " + trial_.unknown(column) + " occurs in " +
                            trial_.equation(row) + ", but " + trial_.unknown(column) +
                            " is not flagged as carrying a derivative" + trial_.where(point_));
  }

  void report_outside(std::size_t row, std::size_t column, const std::string& part, double value) {
    trial_.findings.add("entries outside the pattern", part + subject(row, column),
                        "the pattern has no entry for " + trial_.equation(row) + " and " +
                            trial_.unknown(column) + ", but differences say that " + part + " is " +
                            to_text(value) + trial_.where(point_));
  }

  void report_entry(std::size_t row, std::size_t column, const std::string& part, double entry,
                    double value) {
    trial_.findings.add("Jacobian entries", part + subject(row, column),
                        part + " of " + trial_.equation(row) + " with respect to " +
                            trial_.unknown(column) + " is " + to_text(entry) +
                            " but differences say " + to_text(value) + trial_.where(point_));
  }

  Trial& trial_;
  const CscPattern& pattern_;
  std::vector<std::uint8_t>& derivative_seen_;
  std::vector<double> df_dx_;
  std::vector<double> df_dxdot_;
  std::vector<double> row_size_;
  std::vector<index_t> slot_;  // of each row in the column at hand
  TrialPoint point_;
};

}  // namespace

void check_derivatives(Trial& trial) {
  if (trial.points.empty()) return;
  std::vector<std::uint8_t> derivative_seen(trial.size(), 0);
  DerivativeCheck check(trial, derivative_seen);
  bool any = false;
  for (const TrialPoint& point : trial.points) any = check.run(point) || any;
  if (!any) {
    trial.findings.add(
        "the Jacobian", "",
        "the Jacobian cannot be evaluated at any of " + std::to_string(trial.points.size()) +
            " points where the residual can (seed " + std::to_string(trial.options.seed) + ")");
    return;
  }
  // Of a system that chooses its states, the others' derivatives are out of use for now.
  const auto* choice = trial.workspace->ability<ChosenStates>();
  for (std::size_t j = 0; j < trial.size(); ++j) {
    if (!trial.system.carries_derivative()[j] || derivative_seen[j]) continue;
    if (choice != nullptr && !choice->chosen()[j]) continue;
    trial.findings.add("derivative flags", trial.unknown(j),
                       trial.unknown(j) +
                           " is flagged as carrying a derivative, but no equation changes with it "
                           "(seed " +
                           std::to_string(trial.options.seed) + ")");
  }
}

}  // namespace saltus::detail
