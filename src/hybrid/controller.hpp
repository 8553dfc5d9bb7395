// The controller behind a run.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/hybrid/run.hpp>
#include <saltus/initialize/consistent.hpp>
#include <saltus/integrate/choose.hpp>
#include <saltus/integrate/engine.hpp>
#include <saltus/system/abilities.hpp>

#include "hybrid/output_writer.hpp"
#include "hybrid/reduction.hpp"
#include "hybrid/regularity_monitor.hpp"

namespace saltus {

class Run::Controller {
 public:
  Controller(std::string model_name, std::shared_ptr<ConfigurationSource> source,
             RunOptions options, Observer& observer);

  bool advance();
  bool ended() const { return ended_; }
  double t() const { return engine_ ? engine_->t() : options_.t_begin; }
  std::span<const double> x() const { return engine_ ? engine_->x() : start_.x; }
  std::span<const double> xdot() const { return engine_ ? engine_->xdot() : start_.xdot; }
  const System& system() const { return *system_; }
  StepPolynomial last_step() { return engine_->last_step(); }
  const Trajectory& trajectory() const { return writer_->trajectory(); }
  const RunReport& report();
  Solution finish();

 private:
  // ---- one configuration -----------------------------------------------------------------------
  void enter_configuration();
  void adopt(std::shared_ptr<const System> system);
  Result<void> begin_any_index(const Configuration& configuration, StartHint hint);
  Result<void> begin_reduced(const detail::Reduction& reduction, StartHint hint);
  Result<void> begin_stretch(double t, StartValues guess, StartHint hint);
  void choose_and_make_engine(double t);
  void replace_stiff_engine();
  void keep_work();

  // ---- around a step ---------------------------------------------------------------------------
  void continue_from_here();
  Result<void> record_step();
  Result<void> pass_scheduled_time();
  Result<void> no_impulse_at(double t_here, std::span<const double> before) const;
  void end_at(const detail::RegularityLoss& loss);
  std::string impasse();
  std::string values_at(double t, std::span<const double> x, std::span<const double> xdot);
  std::string values_before_and_at(double t, std::span<const double> x,
                                   std::span<const double> xdot);
  bool within_limits();
  void warn(const std::string& text);
  void report_corrections();
  void report_contradiction();
  void report_uncontrolled();
  void report_missing_starts();
  void note_sizes();
  std::string growth() const;
  void end(Outcome outcome, const std::string& message,
           std::optional<FailureCode> failure = std::nullopt);
  double wall_time() const;

  std::shared_ptr<ConfigurationSource> source_;
  RunOptions options_;
  Observer& observer_;
  RunReport report_;
  bool ended_ = false;
  std::chrono::steady_clock::time_point began_;

  std::string mode_;
  std::shared_ptr<const System> system_;
  std::unique_ptr<Workspace> workspace_;
  ScheduledTimes* scheduled_ = nullptr;
  EngineOptions engine_options_;
  EngineKind engine_asked_ = EngineKind::automatic;
  std::unique_ptr<Engine> engine_;
  ConsistentStart start_;
  double stretch_begin_ = 0.0, stretch_end_ = 0.0;
  detail::RegularityMonitor monitor_;

  std::unique_ptr<detail::OutputWriter> writer_;
  std::uint64_t n_steps_ = 0;
  std::vector<double> largest_;      // size of each unknown so far
  std::vector<ModeWork> past_work_;  // of engines that have left
  bool warned_of_steps_ = false, warned_of_time_ = false, warned_of_stiffness_ = false;
};

}  // namespace saltus
