// The controller behind a run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/hybrid/run.hpp>
#include <saltus/initialize/consistent.hpp>
#include <saltus/integrate/choose.hpp>
#include <saltus/integrate/engine.hpp>
#include <saltus/system/abilities.hpp>

#include "hybrid/books/ledger.hpp"
#include "hybrid/books/limits.hpp"
#include "hybrid/instant/event_series.hpp"
#include "hybrid/instant/stop_watch.hpp"
#include "hybrid/mode_search.hpp"
#include "hybrid/order_watch.hpp"
#include "hybrid/run_recorder.hpp"
#include "hybrid/search/surface_approach.hpp"
#include "hybrid/search/excursions.hpp"
#include "hybrid/search/step_search.hpp"
#include "hybrid/stay/drift.hpp"
#include "hybrid/stay/follower_port.hpp"
#include "hybrid/stay/last_part.hpp"
#include "hybrid/stay/left_limit.hpp"
#include "hybrid/stay/motion.hpp"
#include "hybrid/stay/recording.hpp"
#include "hybrid/stay/resolution.hpp"
#include "hybrid/stay/stay.hpp"
#include "hybrid/surface/judge.hpp"
#include "hybrid/surface/sliders.hpp"
#include "hybrid/surface/sliding_watch.hpp"

namespace saltus {

class Run::Controller {
 public:
  Controller(std::string model_name, std::shared_ptr<ConfigurationSource> source,
             RunOptions options, Observer& observer, RunFollower* follower);

  bool advance();
  bool ended() const { return ended_; }
  std::span<const SurfaceCandidateRecord> decision() const { return open_candidates_; }
  void choose(std::size_t candidate);
  double t() const { return here_.t(); }
  std::span<const double> x() const { return here_.x(); }
  std::span<const double> xdot() const { return here_.xdot(); }
  const System& system() const { return *here_->system; }
  StepPolynomial last_step() { return recording_.last_step(); }
  const Trajectory& trajectory() const { return recording_.writer().trajectory(); }
  const RunReport& report();
  Solution finish();

 private:
  // ---- modes -------------------------------------------------------------------------------------
  Result<void> begin_first_mode(std::optional<Restart> jump);
  Result<void> act_at_start();
  static std::vector<std::uint8_t> triggers_as_written(detail::ModeRun& mode, double t_here,
                                                       std::span<const double> at,
                                                       std::span<const double> slope);
  Result<void> pass_first_departures();
  bool would_change(std::uint32_t action);
  Result<void> act_at_end();
  void reach_end();
  /// Of the side that the run is on.
  Result<ConsistentStart> find_start(double t, const StartValues& guess) {
    return here_->find_start_on_side(t, guess);
  }
  Result<void> leave_mode(const detail::EventPoint& point,
                          std::span<const detail::Crossing> crossings,
                          const detail::InstantResult& result, bool has_history,
                          const detail::SurfaceWay* instead_of = nullptr);
  void tell_of_change(const detail::EventPoint& point, const detail::InstantResult& result,
                      bool has_history, const detail::ModeChange& change);
  void tell_of_jump(const detail::EventPoint& point, std::span<const double> x_left,
                    const detail::ModeChange& change);
  Result<void> enter_mode(const detail::ModeChange& change, detail::JournalEntry entry,
                          const detail::SurfaceWay* instead_of);
  detail::JournalEntry change_entry(const detail::EventPoint& point,
                                    std::span<const detail::Crossing> crossings,
                                    const detail::InstantResult& result,
                                    const detail::ModeChange& change);
  void add_jumps(detail::JournalEntry& entry, const detail::ModeChange& change);
  void compare_conserved(const detail::ModeChange& change, const detail::EventPoint& point,
                         EventInstant& instant);
  std::vector<detail::NamedTruth> named_truths(std::span<const std::uint8_t> triggers = {});
  Result<void> act_on_changes(std::span<const detail::NamedTruth> before);
  void warn_of_torn_values(double t_here, const detail::ModeChange& change);
  bool would_jump(const detail::EventPoint& point, const detail::InstantResult& result) const;
  Result<void> jump_by_impulse(const detail::EventPoint& point, detail::InstantResult& result);
  std::vector<double> watched_before(const detail::EventPoint& point,
                                     std::optional<std::uint32_t> action);
  double error_of_time(std::span<const detail::Crossing> crossings) const;
  // ---- surfaces ----------------------------------------------------------------------------------
  /// An instant on surfaces, up to the decision.
  struct SurfaceInstant {
    detail::ModeRun* mode = nullptr;  // they are surfaces of its relations
    detail::EventPoint point;         // of what is integrated
    detail::EventPoint settled;       // of the mode, after actions
    std::vector<detail::Crossing> crossings;
    detail::InstantResult result;
    std::vector<std::uint32_t> met;   // relations to decide on
    std::vector<std::uint8_t> known;  // flags of relations whose truth is, see SurfaceStudy
    std::vector<std::uint8_t> fresh;  // flags of those that did not matter before
    /// Relations of surfaces whose exit was met, and how far beside its surface each begins.
    std::vector<std::uint32_t> left;
    std::vector<double> beside;
    std::optional<std::uint32_t> left_range;
    std::optional<detail::SurfaceWay> way;  // if it is known
  };
  struct TouchedExit {
    Surface surface;
    int side = 1;
  };
  std::vector<TouchedExit> stay_on_surfaces(SurfaceInstant& instant,
                                            const detail::SurfaceWay& way) const;
  void excuse_exits(std::span<const TouchedExit> touched);
  Result<void> pass_instant_on_surfaces(const detail::EventPoint& point,
                                        std::vector<detail::Crossing> crossings, bool inputs_change,
                                        std::optional<std::uint32_t> action,
                                        std::span<const std::uint8_t> triggers_before);
  Result<void> go_on_from_surfaces(SurfaceInstant instant,
                                   std::optional<std::size_t> choice = std::nullopt);
  Result<void> leave_from_surface(SurfaceInstant& instant, const detail::SurfaceWay& way);
  // Sides that cannot be mixed (controller_sides.cpp).
  Result<void> go_on_between_sides(SurfaceInstant instant);
  void stay_between_sides(SurfaceInstant& instant, const detail::ModeRun& slider,
                          const detail::EventPoint& at) const;
  bool turn_back(SurfaceInstant& instant, const detail::SurfaceWay& way);
  void add_surfaces(detail::JournalEntry& entry,
                    std::span<const detail::TakenTransition> path) const;
  static void add_replaced_slide(detail::JournalEntry& entry, const detail::SurfaceWay& way);
  Result<void> log_surface_instant(const SurfaceInstant& at, detail::ModeRun& next,
                                   const detail::SurfaceWay& way);

  // ---- around a step ---------------------------------------------------------------------------
  void continue_from_here();
  Result<void> put_back_what_drifts();

  // ---- events ------------------------------------------------------------------------------------
  /// What a step turned out to contain.
  enum class Found : std::uint8_t { nothing, event, failure };
  Found take_step();
  Found meet(std::span<const Departure> group);
  Result<void> pass_scheduled_time();
  bool join_scheduled_time(detail::EventPoint& point, std::vector<detail::Crossing>& crossings);
  bool add_due(std::vector<detail::Crossing>& crossings);
  void mark_flips(std::vector<detail::Crossing>& crossings, const detail::EventPoint& at);
  Result<void> pass_instant(const detail::EventPoint& point,
                            std::vector<detail::Crossing> crossings, bool inputs_change,
                            std::optional<std::uint32_t> action = std::nullopt,
                            std::span<const std::uint8_t> triggers_before = {});
  void put_in_order(const detail::EventPoint& point, std::vector<detail::Crossing>& crossings);
  Result<void> log_instant(const detail::EventPoint& point,
                           std::span<const detail::Crossing> crossings,
                           const detail::InstantResult& result);
  Result<void> end_at_event(const detail::EventPoint& point, const detail::InstantResult& result,
                            std::optional<std::uint32_t> left_range);
  Result<void> refuse_ambiguous_reset(const detail::EventPoint& point,
                                      const detail::InstantResult& result);
  bool is_only_a_touch(const detail::EventPoint& point, std::span<const detail::Crossing> crossings,
                       const detail::InstantResult& result);
  // Events without end (controller_accumulation.cpp).
  void continue_at_corner(std::uint32_t first, std::uint32_t second, double t_limit);
  void look_for_end(double t_here, std::span<const detail::Crossing> crossings);
  void continue_at_limit(const detail::SeriesEnd& series);
  bool rest_where_stopped();
  Result<detail::InstantResult> settle(const detail::InstantEntry& entry);
  bool watches_events() const { return here_->watches_events(); }
  bool forward() const { return here_->forward(); }

  /// Along the tangent to a surface that is as near as makes no difference. False if there is none.
  bool bridge_to_surface(bool step_failed);

  // ---- what is seldom meant (controller_hints.cpp) ---------------------------------------------------
  void tell_of_order(const detail::OrderWatch::Found& order, const detail::InstantResult& result,
                     std::span<detail::Crossing> crossings);
  void warn_of_left_out(double t_here, std::uint32_t action);
  void warn_of_dropped_equations(double t_here, const detail::ModeChange& change);
  void end(const detail::Ending& ending);
  /// Ends the run if a limit is used up. False if it does.
  bool within(const std::optional<detail::Ending>& limit) {
    if (limit) end(*limit);
    return !limit;
  }
  bool has_modes() const { return source_->n_modes() > 1; }

  std::shared_ptr<ConfigurationSource> source_;
  RunOptions options_;
  std::unique_ptr<detail::RunRecord> record_;  // none, but where builds are compared
  Observer& observer_;
  detail::Stay here_;
  detail::FollowerPort follower_;
  detail::Recording recording_;
  detail::Ledger ledger_;
  detail::Frame frame_;
  detail::TimeResolution resolution_;
  detail::Motion motion_;
  detail::LeftLimit left_;
  detail::LastPart last_part_;
  detail::SurfaceApproach approach_;
  detail::StopWatch stop_watch_;
  detail::Limits limits_;
  detail::DriftKeeper drift_;
  detail::Excursions excursions_;
  detail::StepSearch step_search_;
  detail::EventSeries series_;
  bool ended_ = false;

  detail::ModeSet modes_;
  detail::ModeSearch search_;
  detail::OrderWatch order_;
  detail::SurfaceJudge judge_;
  detail::Sliders sliders_;
  detail::SlidingWatch sliding_watch_;
  std::optional<SurfaceInstant> open_instant_;  // waits for choose()
  std::vector<SurfaceCandidateRecord> open_candidates_;
};

}  // namespace saltus
