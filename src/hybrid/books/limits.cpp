#include "hybrid/books/limits.hpp"

#include <algorithm>

#include <saltus/core/text.hpp>

namespace saltus::detail {

namespace {
std::string so_far(double t) { return "; t = " + to_text(t) + " was reached"; }
}  // namespace

Limits::Limits(const RunOptions& options, Observer& observer, Ledger& ledger)
    : options_(options),
      observer_(observer),
      ledger_(ledger),
      began_(std::chrono::steady_clock::now()) {}

double Limits::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

/// To read the clock takes as long as a small step's error estimate: not at every one of those.
double Limits::seconds_at_step() {
  if (n_steps_to_look_ > 0) {
    --n_steps_to_look_;
    return seconds_seen_;
  }
  constexpr double soon = 1e-4;
  constexpr int most_steps = 4;  // that are counted on to be as short as the last ones
  const double now = seconds();
  n_steps_per_look_ = now - seconds_seen_ < soon ? std::min(2 * n_steps_per_look_, most_steps) : 1;
  n_steps_to_look_ = n_steps_per_look_ - 1;
  seconds_seen_ = now;
  return now;
}

bool Limits::keeps_going(double t, double fraction, double seconds) {
  return observer_.keep_going({t, fraction, ledger_.n_steps(), ledger_.counts().total(), seconds});
}

std::optional<Ending> Limits::look(double t) {
  const LimitOptions& limits = options_.limits;
  const double seconds = seconds_at_step();
  if (auto ending = look_at_steps(t)) return ending;
  if (seconds >= limits.max_wall_time_s)
    return Ending{Outcome::wall_time_limit, "the limit of " + to_text(limits.max_wall_time_s) +
                                                " s (limits.max_wall_time_s) is used up" +
                                                so_far(t)};
  if (seconds >= limits.warn_at * limits.max_wall_time_s && !ledger_.has_warned_of("seconds"))
    ledger_.warn_once("seconds", "most of the " + to_text(limits.max_wall_time_s) +
                                     " s allowed have passed" + so_far(t));
  const double fraction =
      std::min(1.0, (t - options_.t_begin) / (options_.t_end - options_.t_begin));
  if (!keeps_going(t, fraction, seconds))
    return Ending{Outcome::stopped, "the observer asked to stop" + so_far(t)};
  return std::nullopt;
}

std::optional<Ending> Limits::look_at_steps(double t) {
  const LimitOptions& limits = options_.limits;
  if (limits.max_steps <= 0) return std::nullopt;
  const auto most = static_cast<std::uint64_t>(limits.max_steps);
  const std::uint64_t n = ledger_.n_steps();
  if (n >= most)
    return Ending{Outcome::step_limit, "the limit of " + to_text(limits.max_steps) +
                                           " steps (limits.max_steps) is used up" + so_far(t)};
  if (static_cast<double>(n) >= limits.warn_at * static_cast<double>(most) &&
      !ledger_.has_warned_of("steps"))
    ledger_.warn_once("steps", to_text(static_cast<std::int64_t>(n)) + " of at most " +
                                   to_text(limits.max_steps) + " steps are used" + so_far(t));
  return std::nullopt;
}

std::optional<Ending> Limits::look_at_events(double t) const {
  const int most = options_.limits.max_events;
  if (most == 0 || ledger_.counts().n_interruptions < static_cast<std::uint64_t>(most))
    return std::nullopt;
  return Ending{Outcome::event_limit,
                "the limit of " + to_text(most) +
                    " events (limits.max_events) is used up; t = " + to_text(t) +
                    " was reached; the last one was of '" + ledger_.last_event() + "'"};
}

std::optional<Failure> Limits::stands_still(double t, std::span<const std::string> names,
                                            std::uint32_t n_functions) {
  if (names.empty() || progress_.note(t, names, n_functions)) return std::nullopt;
  return Failure{
      FailureCode::limit_reached,
      "time stands still at t = " + to_text(t) + ": " + std::to_string(progress_.n_events()) +
          " events in a row of '" + join(progress_.names(), "', '") +
          "' advance it by no more than rounding. The model does not decide how the solution "
          "continues; other tolerances, or equations that say which side comes first, may help"};
}

}  // namespace saltus::detail
