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
#include "hybrid/mode_search.hpp"
#include "hybrid/order_watch.hpp"
#include "hybrid/run_recorder.hpp"
#include "hybrid/search/excursions.hpp"
#include "hybrid/search/step_search.hpp"
#include "hybrid/stay/drift.hpp"
#include "hybrid/stay/recording.hpp"
#include "hybrid/stay/resolution.hpp"
#include "hybrid/stay/stay.hpp"
#include "hybrid/surface_study.hpp"

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
  struct SurfaceWay;

  // ---- modes -------------------------------------------------------------------------------------
  Result<void> begin_first_mode(std::optional<Restart> jump);
  void tell_of_start(bool jumps);
  void tell_of_moved_constants();
  Result<void> act_at_start();
  static std::vector<std::uint8_t> triggers_as_written(detail::ModeRun& mode, double t_here,
                                                       std::span<const double> at,
                                                       std::span<const double> slope);
  Result<void> pass_first_departures();
  bool would_change(std::uint32_t action);
  Result<void> act_at_end();
  void reach_end();
  Result<void> start_stay(double t, StartHint hint);
  void begin_stay(double t);
  Result<void> set_in_motion(double t, StartHint hint);
  Result<void> start_engine(double t, StartHint hint);
  Result<void> begin_steps(double t, const StartHint& hint);
  void tell_where_it_goes_on(double t);
  Result<void> end_with_start(double t);
  void excuse_what_lags();
  void enter_stretch(double t) {
    here_.enter_stretch(t);
    step_bound_ = here_.stretch_end();
  }
  Result<ConsistentStart> find_start(double t, const StartValues& guess) {
    return here_->find_start_on_side(t, guess);
  }
  void choose_and_make_engine(double t);
  void replace_stiff_engine();
  detail::LeftState left_limit(const detail::EventPoint& point,
                               std::span<const double> x_with_actions, bool has_history);
  Result<void> leave_mode(const detail::EventPoint& point,
                          std::span<const detail::Crossing> crossings,
                          const detail::InstantResult& result, bool has_history,
                          const SurfaceWay* instead_of = nullptr);
  void tell_of_change(const detail::EventPoint& point, const detail::InstantResult& result,
                      bool has_history, const detail::ModeChange& change);
  void tell_of_jump(const detail::EventPoint& point, std::span<const double> x_left,
                    const detail::ModeChange& change);
  Result<void> enter_mode(const detail::ModeChange& change, detail::JournalEntry entry,
                          const SurfaceWay* instead_of);
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
  bool would_matter(std::uint32_t which, std::span<const detail::Crossing> beside,
                    const detail::EventPoint& at);
  Result<void> note_left_limit(const detail::EventPoint& point,
                               std::span<const detail::Crossing> crossings = {});
  std::vector<double> watched_before(const detail::EventPoint& point,
                                     std::optional<std::uint32_t> action);
  double error_of_time(std::span<const detail::Crossing> crossings) const;
  Result<void> log_with_limits(detail::JournalEntry entry, double t_here,
                               const detail::ModeRun& next, const ConsistentStart& start);

  // ---- surfaces ----------------------------------------------------------------------------------
  /// How it goes on from a point on surfaces.
  struct SurfaceWay {
    DecisionKind kind = DecisionKind::unique;
    std::vector<Surface> kept;
    SlidingOptions options;
    bool depends_on_rule = false;
    std::vector<SurfaceCandidateRecord> records;
    std::string who;       // surfaces, in words
    bool touches = false;  // a velocity vanishes and nothing decides
    bool asks = false;     // the run was asked to stop here
    std::string flat;      // a relation whose gradient vanishes: why nothing decides
    /// For a follower: what crossing each of those that are kept changes, and the motion on the - side of all of them.
    std::vector<KeptSurface> sides = {};
    bool each_by_itself = false;
    detail::EventPoint minus = {};
  };
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
    std::optional<SurfaceWay> way;  // if it is known
  };
  struct TouchedExit {
    Surface surface;
    int side = 1;
  };
  std::vector<TouchedExit> stay_on_surfaces(SurfaceInstant& instant, const SurfaceWay& way) const;
  void excuse_exits(std::span<const TouchedExit> touched);
  void excuse_what_begins_to_leave(double t_here);
  std::vector<std::uint32_t> on_surface(detail::ModeRun& mode, const detail::EventPoint& at,
                                        std::span<const double> margin);
  Result<SurfaceWay> find_way(detail::ModeRun& mode, const detail::EventPoint& at,
                              std::span<const std::uint32_t> switches,
                              std::optional<std::size_t> choice = std::nullopt,
                              const std::vector<std::uint8_t>& known = {},
                              const std::vector<std::uint8_t>& fresh = {},
                              std::span<const std::uint32_t> released = {});
  std::vector<std::uint32_t> held_on_surface(const detail::EventPoint& at,
                                             std::span<const double> margin);
  SlidingForm form_of(detail::ModeRun& mode, const detail::EventPoint& at,
                      std::span<const Surface> kept, std::span<const SlidingPoint> vertices);
  EngineKind engine_kind_of(detail::ModeRun& mode, const detail::EventPoint& at);
  static Failure flat_surface(double t_here, const SurfaceWay& way);
  void warn_of_close_surfaces(const detail::ModeRun& mode, double t_here,
                              std::span<const detail::SurfaceStudy::Apart> pairs);
  /// How the solution came to surfaces from which it has no way on.
  enum class WayOnto : std::uint8_t { motion, start, reset };
  static std::string advice_where_no_way(bool several, WayOnto came_by);
  Failure no_way(double t_here, const SurfaceWay& way, WayOnto came_by = WayOnto::motion) const;
  void tell_of_surfaces(detail::ModeRun& mode, const SurfaceWay& way);
  void tell_of_relations(double t);
  Result<detail::ModeRun*> prepare_slider(detail::ModeRun& mode, const detail::EventPoint& at,
                                          const SurfaceWay& way);
  Result<std::optional<SurfaceWay>> slide_from_start(double t_here);
  Result<void> pass_instant_on_surfaces(const detail::EventPoint& point,
                                        std::vector<detail::Crossing> crossings, bool inputs_change,
                                        std::optional<std::uint32_t> action,
                                        std::span<const std::uint8_t> triggers_before);
  Result<void> go_on_from_surfaces(SurfaceInstant instant,
                                   std::optional<std::size_t> choice = std::nullopt);
  Result<void> leave_from_surface(SurfaceInstant& instant, const SurfaceWay& way);
  // Sides that cannot be mixed (controller_sides.cpp).
  Result<void> go_on_between_sides(SurfaceInstant instant);
  void stay_between_sides(SurfaceInstant& instant, const detail::ModeRun& slider,
                          const detail::EventPoint& at) const;
  Failure apart(detail::ModeRun& mode, const detail::EventPoint& at,
                std::span<const std::uint32_t> relations, const Failure& said) const;
  std::optional<Failure> cannot_mix(const detail::ModeRun& mode, const SurfaceWay& way) const;
  std::optional<Failure> out_of_range(detail::ModeRun& slider) const;
  // What was judged at the beginning, again along the motion (controller_surface_watch.cpp).
  struct SurfaceLook {
    bool depends_on_rule = false;  // by more than tolerances
    bool is_other_motion = false;  // than Filippov's
    bool is_known = true;          // false: a side could not be evaluated
  };
  SurfaceLook look_due() const;
  SurfaceLook look_at_sides(const SurfaceLook& due, double t_there, std::span<const double> x_there,
                            std::span<const double> xdot_there);
  Result<void> go_on_with_copies();
  void warn_of_rule(double t_here, const detail::ModeRun& slider);
  bool turn_back(SurfaceInstant& instant, const SurfaceWay& way);
  void switch_what_must_cross(std::span<const std::uint32_t> undecided,
                              const detail::EventPoint& at);
  void move_to(detail::ModeRun& part, double t_here);
  void excuse_what_left(std::span<const std::uint32_t> left);
  void excuse_what_touched(std::span<const std::uint32_t> touched);
  std::optional<std::uint32_t> action_on_surface(const detail::ModeRun& mode,
                                                 std::span<const Surface> kept) const;
  void add_surfaces(detail::JournalEntry& entry,
                    std::span<const detail::TakenTransition> path) const;
  static void add_replaced_slide(detail::JournalEntry& entry, const SurfaceWay& way);
  Result<void> log_surface_instant(const SurfaceInstant& at, detail::ModeRun& next,
                                   const SurfaceWay& way);

  // ---- around a step ---------------------------------------------------------------------------
  void continue_from_here();
  Result<void> put_back_what_drifts();
  void end_with_outputs(const Failure& failure);

  // ---- events ------------------------------------------------------------------------------------
  /// What a step turned out to contain.
  enum class Found : std::uint8_t { nothing, event, failure };
  Found take_step();
  void note_first_step();
  Found look_again();
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
  Result<void> go_on_after(const detail::EventPoint& point, detail::InstantResult result);
  Result<void> refuse_ambiguous_reset(const detail::EventPoint& point,
                                      const detail::InstantResult& result);
  bool is_only_a_touch(const detail::EventPoint& point, std::span<const detail::Crossing> crossings,
                       const detail::InstantResult& result);
  void turn_back_what_returns(std::span<const std::uint32_t> crossed);
  void look_where_crossed(std::span<const std::uint32_t> crossed, std::span<const double> margins);
  // Events without end (controller_accumulation.cpp).
  void continue_at_corner(std::uint32_t first, std::uint32_t second, double t_limit);
  void look_for_end(double t_here, std::span<const detail::Crossing> crossings);
  void continue_at_limit(const detail::SeriesEnd& series);
  bool rest_where_stopped();
  void suit_engine_to_stretches();
  Result<detail::InstantResult> settle(const detail::InstantEntry& entry);
  bool watches_events() const { return here_->watches_events(); }
  bool forward() const { return here_->forward(); }

  // ---- surfaces beyond which the equations must not be evaluated -----------------------------------
  bool approach_surface(bool must_end_here);
  void end_at(const detail::RegularityLoss& loss);
  std::string impasse(const std::string& said);
  std::string end_of_surface(const detail::RegularityLoss& loss) const;
  std::string values_at(double t, std::span<const double> x, std::span<const double> xdot);
  std::string values_before_and_at(double t, std::span<const double> x,
                                   std::span<const double> xdot);
  void note_sizes();
  // ---- what is seldom meant (controller_hints.cpp) ---------------------------------------------------
  void note_stop(const detail::ModeRun& mode, const detail::EventPoint& point,
                 std::span<const detail::Crossing> crossings, const detail::InstantResult& result);
  void look_after_stop();
  void tell_of_order(const detail::OrderWatch::Found& order, const detail::InstantResult& result,
                     std::span<detail::Crossing> crossings);
  void warn_of_left_out(double t_here, std::uint32_t action);
  void warn_of_dropped_equations(double t_here, const detail::ModeChange& change);
  // ---- the resolution of time (controller_resolution.cpp) --------------------------------------------
  void cut_unresolved_end();
  void step_up_to(double t_last);
  std::string growth() const;
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
  RunFollower* follower_;
  detail::Stay here_;
  detail::Recording recording_;
  detail::Ledger ledger_;
  detail::Limits limits_;
  detail::DriftKeeper drift_;
  detail::Excursions excursions_;
  detail::StepSearch step_search_;
  detail::EventSeries series_;
  detail::TimeResolution resolution_;
  bool ended_ = false;

  detail::ModeSet modes_;
  detail::ModeSearch search_;
  double engine_begin_ = 0.0;  // where it has no step yet

  std::uint64_t n_steps_at_start_ = 0;  // of the stretch
  detail::OrderWatch order_;
  bool engine_was_cut_ = false;  // its last step was taken back: it must be started
  double step_bound_ = 0.0;      // the engine may not go further yet
  /// A relation that a clause has just brought to rest on its surface.
  struct Stop {
    std::uint32_t which = 0;
    std::string text;
  };
  std::optional<Stop> stop_;
  bool approaching_ = false;  // a surface that must not be passed
  std::uint64_t n_refused_ = 0;
  std::vector<double> x_minus_values_;
  std::vector<std::uint8_t> minus_present_;
  /// Unknowns as they were written, at the left limit of the last instant; kept only where modes may change.
  detail::UnknownPairing::Point left_written_;
  std::vector<std::string> left_sliding_;  // surfaces that held the solution there

  std::optional<SurfaceInstant> open_instant_;  // waits for choose()
  std::vector<SurfaceCandidateRecord> open_candidates_;
  /// Mixed equations cease to be Filippov's motion at the end of the last step, or some steps before.
  enum class FormChange : std::uint8_t { none, in_time, late };
  FormChange change_form_ = FormChange::none;
  double looked_at_ = 0.0;                 // the form of the motion on surfaces, last
  bool is_growing_ = false;                // from a first step that was estimated
  std::uint64_t n_steps_before_stay_ = 0;  // of the run, where the engine was started
};

}  // namespace saltus
