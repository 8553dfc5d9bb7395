#include "hybrid/mode/first_mode.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <saltus/core/text.hpp>

#include "hybrid/core/candidate_groups.hpp"
#include "hybrid/mode/mode_search.hpp"
#include "hybrid/mode/moment_later.hpp"
#include "hybrid/mode/start_policy.hpp"

namespace saltus::detail {

namespace {

/// The first stated value that the equations do not leave as it is.
std::optional<std::string> changed_start(const ModeRun& mode, const StartValues& stated,
                                         const RunOptions& options) {
  const auto carries = mode.original->carries_derivative();
  const auto used = mode.pairing->original(*mode.system, *mode.workspace, options.t_begin,
                                           mode.start.x, mode.start.xdot);
  for (std::uint32_t i = 0; i < stated.x.size(); ++i) {
    if (!carries[i] || !stated.x_given[i]) continue;
    const double tolerance =
        options.rtol * std::abs(stated.x[i]) + options.atol * mode.original->nominal(i);
    if (std::abs(used.x[i] - stated.x[i]) <= tolerance) continue;
    return "it would change the start value of '" + mode.original->unknown_name(i) + "' from " +
           to_text(stated.x[i]) + " to " + to_text(used.x[i]);
  }
  return std::nullopt;
}

struct FirstAttempt {
  bool possible = false;
  std::string verdict;          // why not, or at what cost
  std::optional<Restart> jump;  // which is this
};

/// What a mode leaves behind that had all stated values, until the run begins.
LeftState state_before_start(ModeRun& mode, const StartValues& stated, const RunOptions& options) {
  constexpr double noticeable = 100.0;  // tolerances
  LeftState left;
  left.t = options.t_begin;
  left.x = stated.x;
  left.xdot = stated.xdot;
  const auto carries = mode.original->carries_derivative();
  for (std::uint32_t i = 0; i < stated.x.size(); ++i) {
    const double tolerance =
        options.rtol * std::abs(stated.x[i]) + options.atol * mode.original->nominal(i);
    left.movement.push_back(noticeable * tolerance);
    left.has_history.push_back(carries[i] && stated.x_given[i] ? 1 : 0);
  }
  left.held = held_values_of(*mode.workspace);
  return left;
}

FirstAttempt attempt_first(ModeSearch& search, ModeRun& mode, const RunOptions& options) {
  if (auto loaded = mode.load(); !loaded) return {false, loaded.failure().message, {}};
  std::vector<DecisionRecord> choices;
  // Policy impulse is asked of the mode below, from the values as they are stated.
  RunOptions policy = options;
  if (options.start == StartPolicy::impulse) policy.start = StartPolicy::keep;
  auto started = apply_start_policy(mode.original, *mode.original_workspace, policy, choices);
  if (!started) return {false, started.failure().message, {}};
  if (auto begun = mode.begin(options.t_begin, started->system, nullptr); !begun)
    return {false, begun.failure().message, {}};
  const StartValues stated = started->system->start_values();
  auto changed = changed_start(mode, stated, options);
  std::optional<Restart> jump;
  // Charges and momenta that are stated are not a guess: they go where a switch that closes now would send them.
  if (changed && policy.start == StartPolicy::keep) {
    auto entered = search.again(mode, state_before_start(mode, stated, options));
    if (!entered) return {false, *changed + ": " + entered.failure().message, {}};
    if (entered->has_impulses()) jump = std::move(entered->restart);
    changed = changed_start(mode, stated, options);
  }
  if (mode.watches_events()) {
    const auto failed =
        mode.kit->iteration.actions().holding(ActionKind::requirement, mode.start.x);
    if (!failed.empty())
      return {false,
              "it requires " + mode.kit->board.actions()->info(failed.front().action).name +
                  ", which does not hold",
              {}};
  }
  return {true, changed.value_or(""), std::move(jump)};
}

std::vector<std::uint32_t> those_that_stay(const std::vector<std::uint32_t>& modes, ModeSet& tried,
                                           const RunOptions& options) {
  std::vector<PossibleMode> possible;
  std::vector<std::vector<std::uint8_t>> truths(modes.size());
  for (std::size_t k = 0; k < modes.size(); ++k) {
    ModeRun& mode = tried.at(modes[k]);
    if (mode.kit)
      truths[k].assign(mode.kit->board.truths().begin(), mode.kit->board.truths().end());
    possible.push_back({&mode, &mode.start, truths[k]});
  }
  const double t = options.t_begin;
  const std::vector<std::uint8_t> stays =
      possible_a_moment_later(possible, t, moment_after(t, 0.0, options));
  std::vector<std::uint32_t> found;
  for (std::size_t k = 0; k < modes.size(); ++k)
    if (stays[k]) found.push_back(modes[k]);
  return found;
}

}  // namespace

Result<FirstMode> find_first_mode(ConfigurationSource& source, const RunOptions& options) {
  FirstMode found;
  const auto candidates = source.first_modes();
  ModeSet tried(source, options);  // tentative: the run makes its own
  ModeSearch search(tried, source, options);
  if (!options.mode.empty()) {
    while (source.mode_name(found.mode) != options.mode) ++found.mode;
    // If it is not possible the run says so itself.
    if (!candidates.empty()) {
      FirstAttempt attempt = attempt_first(search, tried.at(found.mode), options);
      if (attempt.possible) found.jump = std::move(attempt.jump);
    }
    return found;
  }
  if (candidates.empty()) {
    found.mode = source.initial().mode;
    return found;
  }
  std::vector<std::uint32_t> keeps;
  std::optional<std::uint32_t> changes;
  std::string refusals, change;
  CandidateGroups groups(source.first_group_ends());
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    if (!groups.goes_on(i, !keeps.empty() || changes, !keeps.empty())) break;
    const std::string name = source.mode_name(candidates[i]);
    FirstAttempt attempt = attempt_first(search, tried.at(candidates[i]), options);
    if (!attempt.possible) {
      refusals += (refusals.empty() ? " '" : "; '") + name + "': " + attempt.verdict;
    } else if (!attempt.verdict.empty()) {
      if (changes) continue;
      change = attempt.verdict;
      found.jump = std::move(attempt.jump);
      changes = candidates[i];
    } else {
      keeps.push_back(candidates[i]);
    }
  }
  if (keeps.empty() && !changes)
    return Failure{FailureCode::not_certified,
                   "at the start no mode is possible:" + refusals +
                       ". Give start values that one of them allows, or name the mode (option "
                       "'mode')"};
  if (!keeps.empty()) found.jump.reset();
  if (keeps.size() > 1) keeps = those_that_stay(keeps, tried, options);
  found.mode = keeps.empty() ? *changes : keeps.front();
  found.reason = keeps.empty() ? "no mode keeps all start values; " + change
                               : "it is possible with the start values as they are stated";
  for (std::size_t k = 1; k < keeps.size(); ++k)
    found.warnings.push_back("at the start modes '" + source.mode_name(found.mode) + "' and '" +
                             source.mode_name(keeps[k]) + "' are both possible; '" +
                             source.mode_name(found.mode) + "' was taken");
  return found;
}

}  // namespace saltus::detail
