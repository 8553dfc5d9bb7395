#include "hybrid/controller.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/engine_settings.hpp"
#include "hybrid/start_policy.hpp"

namespace saltus {

Run::Controller::Controller(std::string model_name, std::shared_ptr<ConfigurationSource> source,
                            RunOptions options, Observer& observer)
    : source_(std::move(source)),
      options_(std::move(options)),
      observer_(observer),
      began_(std::chrono::steady_clock::now()) {
  validate_options(options_);
  if (options_.t_end == options_.t_begin)
    throw OptionError("t_end", "is the same as t_begin: there is nothing to run");
  detail::check_mode_names(*source_, options_);
  report_.model = std::move(model_name);
  report_.t_begin = report_.t_reached = options_.t_begin;
  report_.t_requested = options_.t_end;
  report_.options = compare_options(options_);
  enter_configuration();
}

// ---- one configuration -----------------------------------------------------------------------------

void Run::Controller::enter_configuration() {
  const Configuration configuration = source_->initial();
  mode_ = source_->mode_name(configuration.mode);
  auto system = source_->system(configuration);
  if (!system) {
    end(Outcome::not_started, system.failure().message, system.failure().code);
    return;
  }
  adopt(*system);
  engine_asked_ = detail::engine_kind_for(mode_, options_);
  writer_ = std::make_unique<detail::OutputWriter>(
      system_->variable_map(), workspace_->ability<SwitchingFunctions>(), options_);
  writer_->set_non_negative(engine_options_.non_negative);
  auto started = detail::apply_start_policy(system_, options_, report_.choices);
  if (!started) {
    end(Outcome::not_started, started.failure().message, started.failure().code);
    return;
  }
  if (*started != system_) adopt(*started);

  const StartValues start = system_->start_values();
  for (std::uint32_t i = 0; i < engine_options_.non_negative.size(); ++i) {
    if (engine_options_.non_negative[i] && start.x[i] < 0)
      throw OptionError("non_negative",
                        "'" + system_->unknown_name(i) + "' starts at " + to_text(start.x[i]));
  }
  report_missing_starts();
  StartHint hint;
  hint.step = options_.initial_step;
  auto begun = begin_any_index(configuration, hint);
  if (!begun) {
    engine_.reset();
    end(Outcome::not_started, begun.failure().message, begun.failure().code);
  }
}

void Run::Controller::adopt(std::shared_ptr<const System> system) {
  kit_.reset();
  workspace_.reset();
  system_ = std::move(system);
  workspace_ = system_->workspace();
  scheduled_ = workspace_->ability<ScheduledTimes>();
  engine_options_ = detail::engine_options_for(*system_, mode_, options_);
  largest_.assign(system_->size(), 0.0);
  const auto* functions = workspace_->ability<SwitchingFunctions>();
  if (functions == nullptr || functions->count() == 0) return;
  kit_ = std::make_unique<detail::EventKit>(
      *workspace_, *system_, engine_options_, options_.events, forward(),
      [this](double t, const StartValues& guess) { return find_start(t, guess); });
  n_crossings_.assign(functions->count(), 0);
  n_flips_.assign(functions->count(), 0);
  check_accumulation_names();
}

/// As the equations stand, or reduced to index 1.
Result<void> Run::Controller::begin_any_index(const Configuration& configuration, StartHint hint) {
  const double t = options_.t_begin;
  detail::Reducer reducer(*source_, configuration, system_, {t, options_.t_end},
                          detail::index_options_for(options_, engine_options_),
                          detail::reduce_options_for(options_, engine_options_));
  const ReductionKind asked = options_.reduction;
  Result<void> begun = reducer.as_expected();
  if (!begun) return begun;
  std::string refusals;
  if (asked == ReductionKind::ranks || !reducer.structure_asks()) {
    begun = begin_stretch(t, system_->start_values(), hint);
    const bool is_square = system_->n_equations() == system_->size();
    if (begun || (begun.failure().code != FailureCode::singular && is_square)) return begun;
    refusals = begun.failure().message;
  } else {
    const bool is_explicit =
        engine_asked_ == EngineKind::dopri5 || engine_asked_ == EngineKind::dop853;
    auto reduced = is_explicit ? reducer.as_ode() : reducer.by_structure();
    begun = reduced ? begin_reduced(*reduced, hint) : Result<void>(reduced.failure());
    if (begun || is_explicit || asked == ReductionKind::structure) return begun;
    refusals = "reduction by structure: " + begun.failure().message;
  }
  auto reduced = reducer.by_ranks();
  if (reduced) return begin_reduced(*reduced, hint);
  return Failure{reduced.failure().code,
                 refusals + "; index analysis: " + reduced.failure().message};
}

Result<void> Run::Controller::begin_reduced(const detail::Reduction& reduction, StartHint hint) {
  const std::shared_ptr<const System> original = system_;
  engine_.reset();
  adopt(reduction.system);
  engine_options_.rtol *= reduction.tolerance_factor;
  for (double& atol : engine_options_.atol) atol *= reduction.tolerance_factor;
  const std::size_t n_choices = report_.choices.size();
  report_.choices.insert(report_.choices.end(), reduction.choices.begin(), reduction.choices.end());
  auto begun = begin_stretch(options_.t_begin, system_->start_values(), hint);
  if (begun) {
    for (const std::string& warning : reduction.warnings) warn(warning);
  } else {
    report_.choices.resize(n_choices);
    engine_.reset();
    adopt(original);
  }
  return begun;
}

/// The first stretch of a system: what its relations say there is found with its start.
Result<void> Run::Controller::begin_stretch(double t, const StartValues& guess, StartHint hint) {
  enter_stretch(t);
  if (kit_) {
    auto found = kit_->iteration.begin(t, guess);
    if (!found) return found.failure();
    start_ = std::move(found->start);
    enter_stretch(t);
    report_triggers_at_start(t);
  } else {
    auto found = find_start(t, guess);
    if (!found) return found.failure();
    start_ = std::move(*found);
  }
  for (const StartChange& c : start_.changes) {
    report_.choices.push_back({"start value of " + c.name, to_text(c.given), to_text(c.used),
                               "consistency at t = " + to_text(t)});
    observer_.message(Severity::info, "start",
                      "'" + c.name + "' starts at " + to_text(c.used) + ", not " +
                          to_text(c.given) + ": the equations leave no choice");
  }
  return start_engine(t, hint);
}

/// From t to the next known time at which something is not smooth.
void Run::Controller::enter_stretch(double t) {
  stretch_begin_ = t;
  stretch_end_ = scheduled_ ? scheduled_->next(t, options_.t_end) : options_.t_end;
  if (watches_events()) {
    stretch_end_ = kit_->board.functions().next_time(t, stretch_end_);
    stretch_end_ = kit_->board.next_dwell_end(t, stretch_end_);
  }
  step_bound_ = stretch_end_;
  if (scheduled_) scheduled_->enter_stretch(t, stretch_end_);
}

Result<ConsistentStart> Run::Controller::find_start(double t, const StartValues& guess) {
  std::vector<double> weights(system_->size());
  for (std::uint32_t i = 0; i < system_->size(); ++i) {
    weights[i] = 1.0 / (engine_options_.rtol * std::abs(guess.x[i]) + engine_options_.atol[i]);
  }
  InitializeOptions search;
  search.time_scale = options_.t_end - t;
  return find_consistent_start(*system_, *workspace_, t, guess, weights, search);
}

/// From the consistent point in start_.
Result<void> Run::Controller::start_engine(double t, StartHint hint) {
  if (!engine_) choose_and_make_engine(t);
  guard_stages();
  if (auto ok = engine_->start({t, start_.x, start_.xdot}, stretch_end_, hint); !ok) return ok;
  recorded_to_ = t;
  n_refused_ = engine_->work().n_refused_points;
  note_sizes();
  monitor_.begin(*system_, *workspace_, t, start_.x, start_.xdot);
  if (kit_) {
    const double step = std::max(natural_step_, engine_->work().next_step);
    kit_->locator.begin_stretch(t, start_.x, start_.xdot, step);
  }
  return writer_->begin_segment(mode_, *system_, *workspace_, t, start_.x, start_.xdot);
}

void Run::Controller::choose_and_make_engine(double t) {
  EngineKind kind = engine_asked_;
  if (kind == EngineKind::automatic) {
    const EngineChoice choice = choose_engine(*system_, *workspace_, {t, start_.x, start_.xdot},
                                              options_.t_end, engine_options_);
    kind = choice.kind;
    observer_.message(Severity::info, "engine",
                      "engine " + std::string(name(kind)) + ": " + choice.reason);
    report_.choices.push_back({"engine", "automatic", std::string(name(kind)), choice.reason});
  }
  engine_ = make_engine(kind, *system_, *workspace_, engine_options_);
}

void Run::Controller::replace_stiff_engine() {
  if (engine_asked_ != EngineKind::automatic) {
    if (warned_of_stiffness_) return;
    warned_of_stiffness_ = true;
    warn("from t = " + to_text(t()) + " on, steps of " + std::string(name(engine_->kind())) +
         " are limited by stability: the model is stiff there, radau or ida will be faster");
    return;
  }
  keep_work();
  start_.x.assign(x().begin(), x().end());
  start_.xdot.assign(xdot().begin(), xdot().end());
  const double t_now = t();
  const double step = engine_->work().next_step;
  const EngineKind before = engine_->kind();
  const EngineChoice choice = choose_stiff_engine(*system_, engine_options_);
  engine_ = make_engine(choice.kind, *system_, *workspace_, engine_options_);
  report_.choices.push_back({"engine", std::string(name(before)), std::string(name(choice.kind)),
                             choice.reason + " from t = " + to_text(t_now) + " on"});
  StartHint hint;
  hint.step = step;
  if (auto ok = engine_->start({t_now, start_.x, start_.xdot}, stretch_end_, hint); !ok)
    end(Outcome::failed, ok.failure().message, ok.failure().code);
}

// ---- around a step -----------------------------------------------------------------------------------

bool Run::Controller::advance() {
  if (ended_) return false;
  step_left_ = t();
  last_is_piece_ = false;
  if (kit_) kit_->locator.set_left(t(), x(), xdot());
  Found found = take_step();
  if (found == Found::nothing && watches_events()) {
    found = look_along_step();
  }
  if (found == Found::event && !ended_) (void)within_limits();
  if (found != Found::nothing) return found == Found::event;
  if (const auto loss = monitor_.look(*engine_)) {
    end_at(*loss);
    return false;
  }
  if (const auto recorded = record_step(); !recorded) {
    end(Outcome::failed, recorded.failure().message + impasse(), recorded.failure().code);
    // The step as a whole is not part of the solution.
    report_.t_reached = writer_->trajectory().t_end();
    return false;
  }
  continue_from_here();
  return true;
}

/// One accepted step of the engine. If it could not be made because of a surface, the event there.
Run::Controller::Found Run::Controller::take_step() {
  const auto stepped = engine_->step(step_bound_);
  if (!stepped) {
    if (approach_surface(true)) return Found::event;
    end(Outcome::failed, stepped.failure().message + growth() + impasse(), stepped.failure().code);
    // A point that the system refused is not part of the solution.
    report_.t_reached = writer_->trajectory().t_end();
    return Found::failure;
  }
  ++n_steps_;
  note_sizes();
  return Found::nothing;
}

/// What a step without events leads to.
void Run::Controller::continue_from_here() {
  if (t() == options_.t_end) {
    if (watches_events() && t() == stretch_end_) {
      if (const auto passed = pass_scheduled_time(); !passed) {
        end(Outcome::failed, passed.failure().message, passed.failure().code);
      }
      if (ended_) return;
    }
    end(Outcome::finished, "");
    observer_.keep_going({t(), 1.0, n_steps_, wall_time()});
    return;
  }
  if (!within_limits()) return;
  if (t() == stretch_end_) {
    if (const auto passed = pass_scheduled_time(); !passed) {
      end(Outcome::failed, passed.failure().message, passed.failure().code);
    }
    return;
  }
  if (engine_->finds_stiff()) replace_stiff_engine();
  if (watches_events()) (void)approach_surface(false);
}

Result<void> Run::Controller::record_step() {
  StepPolynomial step;
  if (writer_->needs_polynomial(t()) || recorded_to_ != step_left_) {
    step = engine_->last_step();
  } else {
    step.t_right = t();
  }
  if (recorded_to_ != step_left_) return record_piece(step, t(), x(), xdot());
  recorded_to_ = t();
  return writer_->add_step(*system_, *workspace_, step, x(), xdot());
}

/// What carries a derivative does not jump unless an impulse makes it. Constraints on an input that
/// jumps, or has a kink where they contain its derivative, ask for one.
Result<void> Run::Controller::no_impulse_at(double t_here, std::span<const double> before) const {
  constexpr double noticeable = 100.0;  // tolerances
  const auto carries = system_->carries_derivative();
  for (std::uint32_t i = 0; i < before.size(); ++i) {
    const double jump = std::abs(start_.x[i] - before[i]);
    const double tolerance = engine_options_.rtol * std::abs(before[i]) + engine_options_.atol[i];
    if (!carries[i] || jump <= noticeable * tolerance) continue;
    return Failure{FailureCode::singular,
                   "at t = " + to_text(t_here) + " an input is not smooth enough: '" +
                       system_->unknown_name(i) + "' would jump from " + to_text(before[i]) +
                       " to " + to_text(start_.x[i]) +
                       ", which takes an impulse; use a smoother input (a spline, a short ramp), "
                       "or restart() with policy impulse and go on from there"};
  }
  return {};
}

}  // namespace saltus
