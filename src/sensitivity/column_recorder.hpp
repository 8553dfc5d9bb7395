// Derivatives as a trajectory: of unknowns and of what is computed from them, by names of the model's variables.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/trajectory/trajectory.hpp>

#include "sensitivity/columns.hpp"
#include "sensitivity/computed_variables.hpp"
#include "sensitivity/variational_step.hpp"

namespace saltus::detail {

class ColumnRecorder {
 public:
  /// All variables of the map, for each parameter.
  void begin(const VariableMap& map, const std::vector<std::string>& parameters);
  void begin_segment(const FollowedPoint& from, const std::string& segment, const Columns& columns);
  /// S at the begin of the step is that of the columns; `starts_known`: of all unknowns.
  void add_step(const FollowedPath& path, const VariationalStep& step, double t_from, double t_to,
                const Columns& columns, bool starts_known);
  /// How variables change along time at a left limit that moves.
  void note_rates(const FollowedPoint& left, const MotionAtEvent& motion);
  Trajectory take();
  std::optional<CoarseDerivative> take_coarsest() { return std::move(coarsest_); }
  std::optional<RatesBeforeEvent> take_rates() { return std::move(rates_); }

 private:
  void record_piece(const StepPolynomial& s, const StepPolynomial& computed, const Columns& columns,
                    bool starts_known);
  void note_missed(const MissedFit& missed, const Columns& columns);
  void show_columns(double t, std::size_t p);
  void settle_point();

  std::optional<TrajectoryRecorder> recorder_;
  std::vector<std::string> names_;  // of variables
  Workspace* workspace_ = nullptr;
  std::vector<std::optional<std::uint32_t>> unknown_of_;  // of the variables of the model
  std::unique_ptr<ComputedVariables> computed_;           // the other ones
  std::string segment_;
  std::vector<std::uint8_t> present_;  // columns in it
  struct Point {
    double t;
    std::vector<double> values;
  };
  std::optional<Point> point_;  // where it begins, while it has no steps
  std::vector<double> recorded_;
  std::optional<CoarseDerivative> coarsest_;
  double coarsest_in_tolerances_ = 0.0;
  std::optional<RatesBeforeEvent> rates_;
};

}  // namespace saltus::detail
