#include "hybrid/mode/initial_values.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/initialize/initial_start.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/started_system.hpp>
#include <saltus/system/switching.hpp>

namespace saltus::detail {

namespace {

/// What is decided at the start beside the values: relations, and discrete variables.
struct Decided {
  std::vector<std::uint8_t> locks;
  std::vector<double> discrete;
  friend bool operator==(const Decided&, const Decided&) = default;
};

class InitialValues {
 public:
  InitialValues(const System& system, Workspace& workspace, InitialEquations& equations,
                const RunOptions& options)
      : system_(system),
        workspace_(workspace),
        equations_(equations),
        options_(options),
        t_(options.t_begin),
        stated_(system.start_values()),
        before_(held_values_of(workspace)) {}

  Result<InitialStart> run() {
    constexpr int most_rounds = 30;
    (void)decide(stated_.x, stated_.xdot);
    StartValues guess = stated_;
    std::vector<Decided> seen;
    InitialStart found;
    for (int round = 0; round < most_rounds; ++round) {
      seen.push_back(decided());
      auto next =
          find_initial_start(system_, workspace_, t_, guess, equations_,
                             {options_.start == StartPolicy::least_squares, options_.t_end - t_});
      if (!next) return next;
      const bool has_moved = round == 0 || differs(next->x, found.x);
      found = std::move(*next);
      act(found);
      const std::string without_value = decide(found.x, found.xdot);
      if (!without_value.empty())
        return Failure{FailureCode::out_of_domain,
                       "start at t = " + to_text(t_) + ": the relation '" + without_value +
                           "' has no value where the initial equations are met"};
      const Decided now = decided();
      if (now == seen.back() || !has_moved) return found;
      if (std::ranges::find(seen, now) != seen.end()) return turning(seen.back(), now);
      // Guesses stay what they are: they may be kept.
    }
    return Failure{FailureCode::not_converged,
                   "start at t = " + to_text(t_) + ": after " + std::to_string(most_rounds) +
                       " rounds no values of discrete variables fit the initial equations; other "
                       "start values or guesses may help"};
  }

  const StartValues& stated() const { return stated_; }

 private:
  Decided decided() {
    Decided now;
    if (auto* locks = workspace_.ability<Locks>())
      now.locks.assign(locks->locks().begin(), locks->locks().end());
    now.discrete = held_values_of(workspace_).discrete;
    return now;
  }

  /// The name of a relation that has no value there.
  std::string decide(std::span<const double> x, std::span<const double> xdot) {
    auto* locks = workspace_.ability<Locks>();
    if (locks == nullptr) return {};
    const Evaluation evaluated = locks->decide(t_, x, xdot);
    return evaluated ? "" : workspace_.ability<SwitchingFunctions>()->info(evaluated.row()).name;
  }

  bool differs(const std::vector<double>& one, const std::vector<double>& other) const {
    constexpr double same = 1e-9;
    for (std::uint32_t i = 0; i < one.size(); ++i)
      if (std::abs(one[i] - other[i]) > same * (std::abs(one[i]) + system_.nominal(i))) return true;
    return false;
  }

  /// What actions at the start give to discrete variables, from what these were before. The run carries them out itself.
  void act(const InitialStart& at) {
    auto* actions = workspace_.ability<EventActions>();
    auto* held = workspace_.ability<HeldValues>();
    if (actions == nullptr || held == nullptr) return;
    const std::span<double> discrete = held->discrete();
    std::vector<double> after(before_.discrete);
    std::copy(before_.discrete.begin(), before_.discrete.end(), discrete.begin());
    for (std::uint32_t a = 0; a < actions->count(); ++a) {
      const ActionInfo& info = actions->info(a);
      if (!info.at_start || info.by_laws || info.comes_last) continue;
      std::vector<double> values(info.targets.size());
      if (!actions->values(a, t_, at.x, at.xdot, values)) continue;  // the run will say so
      for (std::size_t k = 0; k < values.size(); ++k)
        if (!info.targets[k].is_unknown) after[info.targets[k].index] = values[k];
    }
    std::copy(after.begin(), after.end(), discrete.begin());
  }

  /// Each of two sets of truths leads to the other.
  Failure turning(const Decided& one, const Decided& other) {
    std::vector<std::string> names;
    auto* functions = workspace_.ability<SwitchingFunctions>();
    for (std::uint32_t w = 0; w < one.locks.size(); ++w)
      if (one.locks[w] != other.locks[w]) names.push_back("'" + functions->info(w).name + "'");
    return {FailureCode::not_converged,
            "start at t = " + to_text(t_) +
                ": the initial equations have no solution: each choice of " +
                (names.empty() ? std::string("discrete values") : join(names, ", ")) +
                " leads to values that contradict it; other guesses may help"};
  }

  const System& system_;
  Workspace& workspace_;
  InitialEquations& equations_;
  const RunOptions& options_;
  double t_;
  StartValues stated_;
  HeldSnapshot before_;
};

}  // namespace

Result<StartValues> values_by_initial_equations(const System& system, Workspace& workspace,
                                                InitialEquations& equations,
                                                const RunOptions& options,
                                                std::vector<DecisionRecord>& choices) {
  InitialValues search(system, workspace, equations, options);
  auto found = search.run();
  if (!found) return found.failure();
  StartValues start = search.stated();
  const auto carries = system.carries_derivative();
  const std::string reason =
      std::string(found->is_nearest ? "initial equations, as near to guesses as they allow"
                                    : "initial equations") +
      " at t = " + to_text(options.t_begin);
  constexpr double rounding = 1e-12;
  for (std::uint32_t i = 0; i < start.x.size(); ++i) {
    const bool keeps_guess = std::ranges::find(found->kept_guesses, i) != found->kept_guesses.end();
    const bool moves =
        std::abs(found->x[i] - start.x[i]) > rounding * (std::abs(start.x[i]) + system.nominal(i));
    if (carries[i] && moves)
      choices.push_back({"start value of " + system.unknown_name(i), to_text(start.x[i]),
                         to_text(found->x[i]), reason});
    if (carries[i] && !keeps_guess) start.x_given[i] = 1;
  }
  start.x = std::move(found->x);
  start.xdot = std::move(found->xdot);
  return start;
}

}  // namespace saltus::detail
