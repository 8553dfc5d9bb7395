#include "hybrid/controller.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/reduce.hpp>

#include "hybrid/engine_settings.hpp"

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

double Run::Controller::wall_time() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void Run::Controller::end(Outcome outcome, const std::string& message,
                          std::optional<FailureCode> failure) {
  ended_ = true;
  if (engine_) report_uncontrolled();
  if (writer_ && writer_->largest_projection() > 0) {
    report_.choices.push_back(
        {"output points", "as integrated", "moved onto the constraints",
         "largest change " + to_text(writer_->largest_projection()) + " in nominal units"});
  }
  report_corrections();
  report_.outcome = outcome;
  report_.message = message;
  report_.failure = failure;
  report_.t_reached = t();
  report_.wall_time_s = wall_time();
}

/// Values that were set to zero because they must not be negative are no part of the method's error.
void Run::Controller::report_corrections() {
  if (!engine_) return;
  WorkCounts work = engine_->work();
  for (const ModeWork& past : past_work_) work += past.work;
  if (work.n_corrections == 0) return;
  warn(to_text(static_cast<std::int64_t>(work.n_corrections)) +
       " values that must not be negative were set to zero, the largest from " +
       to_text(-work.largest_correction));
}

void Run::Controller::warn(const std::string& text) {
  report_.warnings.push_back(text);
  observer_.message(Severity::warning, "run", text);
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
  writer_ = std::make_unique<detail::OutputWriter>(system_->variable_map(), options_);
  writer_->set_non_negative(engine_options_.non_negative);

  largest_.assign(system_->size(), 0.0);
  const StartValues start = system_->start_values();
  for (std::uint32_t i = 0; i < engine_options_.non_negative.size(); ++i) {
    if (engine_options_.non_negative[i] && start.x[i] < 0)
      throw OptionError("non_negative",
                        "'" + system_->unknown_name(i) + "' starts at " + to_text(start.x[i]));
  }
  report_missing_starts();
  StartHint hint;
  hint.step = options_.initial_step;
  auto begun = begin_stretch(options_.t_begin, system_->start_values(), hint);
  const bool is_square = system_->n_equations() == system_->size();
  if (!begun && (begun.failure().code == FailureCode::singular || !is_square)) {
    const auto reduced = reduce_system(options_.t_begin);
    if (reduced) {
      begun = begin_stretch(options_.t_begin, system_->start_values(), hint);
    } else {
      begun = Failure{reduced.failure().code,
                      begun.failure().message + "; index analysis: " + reduced.failure().message};
    }
  }
  if (!begun) {
    engine_.reset();
    end(Outcome::not_started, begun.failure().message, begun.failure().code);
  }
}

void Run::Controller::adopt(std::shared_ptr<const System> system) {
  workspace_.reset();
  system_ = std::move(system);
  workspace_ = system_->workspace();
  scheduled_ = workspace_->ability<ScheduledTimes>();
  engine_options_ = detail::engine_options_for(*system_, mode_, options_);
}

Result<void> Run::Controller::reduce_system(double t) {
  if (workspace_->ability<DerivativeLevels<double>>() == nullptr ||
      workspace_->ability<DerivativeLevels<Quad>>() == nullptr) {
    return Failure{FailureCode::singular, "the system does not offer its derivatives"};
  }
  const StartValues given = system_->start_values();
  auto analysis = analyze_index(*system_, *workspace_, t, given);
  if (!analysis) return analysis.failure();
  auto reduced = reduce_index(system_, t, *analysis);
  if (!reduced) return reduced.failure();
  report_.choices.push_back(
      {"characteristic values", "", to_text(analysis->values),
       "strangeness index, differential, algebraic, redundant, undetermined"});
  for (std::uint32_t i = 0; i < system_->size(); ++i) {
    const double used = analysis->path[i];
    if (!given.x_given[i] || std::abs(used - given.x[i]) <= 1e-12 * system_->nominal(i)) continue;
    report_.choices.push_back({"start value of " + system_->unknown_name(i), to_text(given.x[i]),
                               to_text(used), "hidden constraints at t = " + to_text(t)});
  }
  adopt(*reduced);
  const CharacteristicValues& v = analysis->values;
  if (v.u > 0 || v.v > 0) {
    std::vector<std::string> open;
    for (std::uint32_t k = 0; k < std::min(v.u, 3U); ++k) {
      open.push_back(system_->equation_name(v.d + v.a + k));
    }
    warn(std::to_string(v.u) + " unknowns are not determined by the equations" +
         (open.empty() ? "" : " (" + join(open, ", ") + "): they change as little as possible") +
         "; " + std::to_string(v.v) + " equations are redundant");
  }
  return {};
}

/// A state without a start value begins at its guess or at zero: that is said, not assumed.
void Run::Controller::report_missing_starts() {
  const StartValues start = system_->start_values();
  const auto differential = system_->carries_derivative();
  std::vector<std::string> names;
  std::size_t n = 0;
  for (std::uint32_t i = 0; i < system_->size(); ++i) {
    if (!differential[i] || start.x_given[i]) continue;
    constexpr std::size_t most = 5;
    if (n++ < most) names.push_back(system_->unknown_name(i) + " = " + to_text(start.x[i]));
  }
  if (n == 0) return;
  if (n > names.size()) names.push_back("and " + std::to_string(n - names.size()) + " more");
  report_.choices.push_back({"start values", "not given", join(names, ", "), "guesses, or zero"});
}

Result<void> Run::Controller::begin_stretch(double t, StartValues guess, StartHint hint) {
  stretch_end_ = scheduled_ ? scheduled_->next(t, options_.t_end) : options_.t_end;
  if (scheduled_) scheduled_->enter_stretch(t, stretch_end_);

  std::vector<double> weights(system_->size());
  for (std::uint32_t i = 0; i < system_->size(); ++i) {
    weights[i] = 1.0 / (engine_options_.rtol * std::abs(guess.x[i]) + engine_options_.atol[i]);
  }
  InitializeOptions search;
  search.time_scale = options_.t_end - t;
  auto found = find_consistent_start(*system_, *workspace_, t, guess, weights, search);
  if (!found) return found.failure();
  start_ = std::move(*found);
  for (const StartChange& c : start_.changes) {
    report_.choices.push_back({"start value of " + c.name, to_text(c.given), to_text(c.used),
                               "consistency at t = " + to_text(t)});
    observer_.message(Severity::info, "start",
                      "'" + c.name + "' starts at " + to_text(c.used) + ", not " +
                          to_text(c.given) + ": the equations leave no choice");
  }
  if (!engine_) choose_and_make_engine(t);
  if (auto ok = engine_->start({t, start_.x, start_.xdot}, stretch_end_, hint); !ok) return ok;
  note_sizes();
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

void Run::Controller::keep_work() {
  if (!engine_) return;
  std::string solver;
  if (const auto used = engine_->linear_solver()) {
    for (const auto& choice : option_choices(LinearSolverKind{})) {
      if (choice.value == *used) solver = choice.name;
    }
  }
  const std::string engine(name(engine_->kind()));
  const auto it = std::find_if(past_work_.begin(), past_work_.end(), [&](const ModeWork& w) {
    return w.mode == mode_ && w.engine == engine;
  });
  if (it != past_work_.end()) {
    it->work += engine_->work();
  } else {
    past_work_.push_back({mode_, engine, solver, system_->size(), engine_->work()});
  }
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
  if (const auto stepped = engine_->step(stretch_end_); !stepped) {
    end(Outcome::failed, stepped.failure().message + growth(), stepped.failure().code);
    return false;
  }
  ++n_steps_;
  note_sizes();
  if (const auto recorded = record_step(); !recorded) {
    end(Outcome::failed, recorded.failure().message, recorded.failure().code);
    // The step as a whole is not part of the solution.
    report_.t_reached = writer_->trajectory().t_end();
    return false;
  }
  if (t() == options_.t_end) {
    end(Outcome::finished, "");
    observer_.keep_going({t(), 1.0, n_steps_, wall_time()});
  } else if (within_limits()) {
    continue_from_here();
  }
  return true;
}

/// What a step that is not the last one leads to.
void Run::Controller::continue_from_here() {
  if (t() != stretch_end_) {
    if (engine_->finds_stiff()) replace_stiff_engine();
    return;
  }
  if (const auto passed = pass_scheduled_time(); !passed) {
    end(Outcome::failed, passed.failure().message, passed.failure().code);
  }
}

void Run::Controller::note_sizes() {
  const auto now = x();
  for (std::size_t i = 0; i < now.size(); ++i) {
    largest_[i] = std::max(largest_[i], std::abs(now[i]));
  }
}

/// A solution that goes to infinity ends in steps that are too small: the words for it.
std::string Run::Controller::growth() const {
  constexpr double suspicious = 1e6;
  std::size_t worst = 0;
  double most = 0.0;
  for (std::size_t i = 0; i < largest_.size(); ++i) {
    const double start =
        std::max(std::abs(start_.x[i]), system_->nominal(static_cast<std::uint32_t>(i)));
    if (largest_[i] / start > most) {
      most = largest_[i] / start;
      worst = i;
    }
  }
  if (most < suspicious) return {};
  return "; '" + system_->unknown_name(static_cast<std::uint32_t>(worst)) + "' has grown to " +
         to_text(x()[worst]) + ": the solution may go to infinity here";
}

/// Unknowns that never rose above their absolute tolerance were not controlled at all.
void Run::Controller::report_uncontrolled() {
  std::vector<std::string> names;
  std::size_t n = 0;
  for (std::size_t i = 0; i < largest_.size(); ++i) {
    const double moved = std::abs(x()[i]);
    if (largest_[i] >= engine_options_.atol[i] || (largest_[i] == 0.0 && moved == 0.0)) continue;
    constexpr std::size_t most = 3;
    if (n++ < most)
      names.push_back("'" + system_->unknown_name(static_cast<std::uint32_t>(i)) + "'");
  }
  if (n == 0) return;
  if (n > names.size()) names.push_back("and " + std::to_string(n - names.size()) + " more");
  warn(join(names, ", ") + (n == 1 ? " stays" : " stay") +
       " below the absolute tolerance, so no digit of it was controlled; give its nominal size, or "
       "atol_of");
}

Result<void> Run::Controller::record_step() {
  StepPolynomial step;
  if (writer_->needs_polynomial(t())) {
    step = engine_->last_step();
  } else {
    step.t_right = t();
  }
  return writer_->add_step(*system_, *workspace_, step, x(), xdot());
}

/// The equations go on from the right limit of their inputs: what no derivative carries may jump.
Result<void> Run::Controller::pass_scheduled_time() {
  StartValues guess;
  guess.x.assign(x().begin(), x().end());
  guess.xdot.assign(xdot().begin(), xdot().end());
  guess.x_given.assign(system_->size(), 0);
  StartHint hint;
  hint.step = engine_->work().last_step;
  return begin_stretch(t(), std::move(guess), hint);
}

bool Run::Controller::within_limits() {
  const LimitOptions& limits = options_.limits;
  const double seconds = wall_time();
  const double fraction =
      std::min(1.0, (t() - options_.t_begin) / (options_.t_end - options_.t_begin));
  const auto so_far = [&] { return "; t = " + to_text(t()) + " was reached"; };

  if (limits.max_steps > 0) {
    const auto most = static_cast<std::uint64_t>(limits.max_steps);
    if (n_steps_ >= most) {
      end(Outcome::step_limit, "the limit of " + to_text(limits.max_steps) +
                                   " steps (limits.max_steps) is used up" + so_far());
      return false;
    }
    if (!warned_of_steps_ &&
        static_cast<double>(n_steps_) >= limits.warn_at * static_cast<double>(most)) {
      warned_of_steps_ = true;
      warn(to_text(static_cast<std::int64_t>(n_steps_)) + " of at most " +
           to_text(limits.max_steps) + " steps are used" + so_far());
    }
  }
  if (seconds >= limits.max_wall_time_s) {
    end(Outcome::wall_time_limit, "the limit of " + to_text(limits.max_wall_time_s) +
                                      " s (limits.max_wall_time_s) is used up" + so_far());
    return false;
  }
  if (!warned_of_time_ && seconds >= limits.warn_at * limits.max_wall_time_s) {
    warned_of_time_ = true;
    warn("most of the " + to_text(limits.max_wall_time_s) + " s allowed have passed" + so_far());
  }
  if (!observer_.keep_going({t(), fraction, n_steps_, seconds})) {
    end(Outcome::stopped, "the observer asked to stop" + so_far());
    return false;
  }
  return true;
}

// ---- results -----------------------------------------------------------------------------------------

const RunReport& Run::Controller::report() {
  if (!ended_) {
    report_.t_reached = t();
    report_.wall_time_s = wall_time();
    report_.outcome = Outcome::stopped;
    report_.message = "the run is still going on";
  }
  const std::vector<ModeWork> past = past_work_;
  keep_work();
  report_.work = std::move(past_work_);
  past_work_ = past;
  return report_;
}

Solution Run::Controller::finish() {
  if (!ended_) end(Outcome::stopped, "the run was ended before its time");
  report();
  Solution solution;
  if (writer_) solution.trajectory = writer_->take();
  solution.report = report_;
  return solution;
}

}  // namespace saltus
