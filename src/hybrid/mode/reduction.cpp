#include "hybrid/mode/reduction.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/initialize/consistent.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>

namespace saltus::detail {

namespace {

// Up to this size ranks are analysed even if the structure looks sound: the user learns the
// characteristic values, and they confirm or refute the structure.
constexpr std::uint32_t always_analysed = 40;
// Selected states have all derivatives in their error test, projectors only the model's own unknowns. With
// this factor, errors of both are alike at the same tolerance (pendulum, docs/design/0007).
constexpr double tolerance_of_ranks = 0.2;

}  // namespace

Result<void> Reducer::as_expected() {
  if (!index_options_.expected || analysis()) return {};
  return analysis().failure();
}

/// With held values as they are now: whoever evaluates it begins with them.
Reducer::Differentiated Reducer::differentiated() {
  auto found = source_.differentiated(configuration_);
  if (!found || *found == nullptr) return found;
  auto held = std::make_shared<DifferentiatedSystem>(**found);
  held->system =
      std::make_shared<StartedSystem>((*found)->system, (*found)->system->start_values(), held_);
  return std::shared_ptr<const DifferentiatedSystem>(std::move(held));
}

bool Reducer::structure_asks() {
  const auto differentiated = source_.differentiated(configuration_);
  return differentiated && *differentiated != nullptr;
}

const Reducer::Analysis& Reducer::analysis() {
  if (analysis_) return *analysis_;
  const std::unique_ptr<Workspace> workspace = system_->workspace();
  if (auto* scheduled = workspace->ability<ScheduledTimes>()) {
    scheduled->enter_stretch(t_, scheduled->next(t_, t_end_));
  }
  const StartValues start = system_->start_values();
  decide_locks(*workspace, t_, start.x, start.xdot);
  if (workspace->ability<DerivativeLevels<double>>() == nullptr ||
      workspace->ability<DerivativeLevels<Quad>>() == nullptr) {
    analysis_ = Failure{FailureCode::singular, "the system does not offer its derivatives"};
  } else {
    analysis_ = analyze_index(*system_, *workspace, t_, system_->start_values(), index_options_);
  }
  return *analysis_;
}

/// Characteristic values, and start values that were not kept.
void Reducer::report_values(Reduction& reduction) {
  const IndexAnalysis& found = *analysis();
  reduction.choices.push_back(
      {"characteristic values", "", to_text(found.values),
       "strangeness index, differential, algebraic, redundant, undetermined"});
  if (!found.keeps_content)
    reduction.warnings.push_back("the start values at t = " + to_text(t_) +
                                 " are far from consistent: the search for a start that keeps what "
                                 "the equations conserve did not converge, and another consistent "
                                 "start was taken; state values nearer to the constraints");
  const StartValues given = system_->start_values();
  for (std::uint32_t i = 0; i < system_->size(); ++i) {
    const double used = found.path[i];
    if (!given.x_given[i] || std::abs(used - given.x[i]) <= 1e-12 * system_->nominal(i)) continue;
    reduction.choices.push_back({"start value of " + system_->unknown_name(i), to_text(given.x[i]),
                                 to_text(used), "hidden constraints at t = " + to_text(t_)});
  }
}

Result<Reduction> Reducer::by_ranks() {
  if (!analysis()) return analysis().failure();
  const CharacteristicValues& v = analysis()->values;
  auto reduced = reduce_index(system_, t_, *analysis(), reduce_options_);
  if (!reduced) return reduced.failure();
  Reduction reduction{*reduced, {}, {}, tolerance_of_ranks};
  report_values(reduction);
  reduction.choices.push_back({"reduction", "automatic", "by ranks",
                               "projectors of the "
                               "derivative array"});
  if (v.u > 0 || v.v > 0) {
    std::vector<std::string> open;
    for (std::uint32_t k = 0; k < std::min(v.u, 3U); ++k) {
      open.push_back((*reduced)->equation_name(v.d + v.a + k));
    }
    reduction.warnings.push_back(
        std::to_string(v.u) + " unknowns are not determined by the equations" +
        (open.empty() ? "" : " (" + join(open, ", ") + "): they change as little as possible") +
        "; " + std::to_string(v.v) + " equations are redundant");
  }
  return reduction;
}

namespace {

/// Start values of a system as those of the differentiated one, if they are others than its own: somebody has moved
/// them (options.start). Variables come first and in the same order in both; of their derivatives, in whatever order
/// those follow, the first is known.
void take_over_start(const DifferentiatedSystem& differentiated, const StartValues& given,
                     StartValues& start) {
  constexpr std::uint32_t none = DifferentiatedSystem::none;
  const auto& derivative = differentiated.derivative_unknown;
  std::vector<std::uint8_t> is_variable(start.x.size(), 1);
  for (const std::uint32_t next : derivative) {
    if (next != none) is_variable[next] = 0;
  }
  bool moved = false;
  for (std::size_t i = 0; i < given.x.size(); ++i) {
    if (!is_variable[i]) continue;
    moved = moved || given.x[i] != start.x[i];
    moved = moved || (derivative[i] != none && given.xdot[i] != start.x[derivative[i]]);
  }
  for (std::size_t i = 0; i < given.x.size() && moved; ++i) {
    if (!is_variable[i]) continue;
    start.x[i] = given.x[i];
    start.xdot[i] = given.xdot[i];
    if (derivative[i] != none) start.x[derivative[i]] = given.xdot[i];
  }
}

}  // namespace

/// From the consistent point of the analysis if there is one: its series holds all derivatives.
StartValues Reducer::start_of_differentiated(const DifferentiatedSystem& differentiated) {
  StartValues start = differentiated.system->start_values();
  if (!analysis_ || !*analysis_) {
    take_over_start(differentiated, system_->start_values(), start);
    return start;
  }
  const std::vector<double>& path = (*analysis_)->path;
  const std::size_t n = system_->size();
  std::vector<std::uint8_t> is_derivative(start.x.size(), 0);
  for (const std::uint32_t next : differentiated.derivative_unknown) {
    if (next != DifferentiatedSystem::none) is_derivative[next] = 1;
  }
  for (std::uint32_t variable = 0; variable < start.x.size(); ++variable) {
    if (is_derivative[variable]) continue;
    // Variables come first and in the same order in both systems.
    double factorial = 1.0;
    std::uint32_t unknown = variable;
    for (std::size_t order = 0; unknown != DifferentiatedSystem::none; ++order) {
      if (order > 0) factorial *= static_cast<double>(order);
      const auto value = [&](std::size_t k) {
        const std::size_t at = k * n + variable;
        return at < path.size() ? path[at] : 0.0;
      };
      start.x[unknown] = factorial * value(order);
      start.xdot[unknown] = factorial * static_cast<double>(order + 1) * value(order + 1);
      unknown = differentiated.derivative_unknown[unknown];
    }
  }
  return start;
}

Result<Reduction> Reducer::by_structure() {
  const auto found = differentiated();
  if (!found) return found.failure();
  if (*found == nullptr) {
    return Failure{FailureCode::singular, "the structure of the equations asks for no derivatives"};
  }
  const DifferentiatedSystem& d = **found;
  if (system_->size() <= always_analysed && analysis()) {
    const CharacteristicValues& v = analysis()->values;
    if (v.v > 0 || v.u > 0 || v.d != d.degrees_of_freedom) {
      return Failure{FailureCode::singular,
                     "the structure of the equations shows " +
                         std::to_string(d.degrees_of_freedom) +
                         " degrees of freedom, but their characteristic values are " + to_text(v)};
    }
  }
  auto selected = select_states(*found, t_, start_of_differentiated(d));
  if (!selected) return selected.failure();
  Reduction reduction{*selected, {}, {}, 1.0};
  if (analysis_ && *analysis_) report_values(reduction);
  reduction.choices.push_back({"reduction", "automatic", "by structure",
                               "structural index " + std::to_string(d.index) + ", " +
                                   std::to_string(d.degrees_of_freedom) + " degrees of freedom, " +
                                   std::to_string((*selected)->size()) + " unknowns"});
  return reduction;
}

Result<Reduction> Reducer::as_ode() {
  auto reduction = by_structure();
  if (!reduction) return reduction;
  const System& selected = *reduction->system;
  const std::unique_ptr<Workspace> workspace = selected.workspace();
  if (auto* scheduled = workspace->ability<ScheduledTimes>()) {
    scheduled->enter_stretch(t_, scheduled->next(t_, t_end_));
  }
  const StartValues guess = selected.start_values();
  decide_locks(*workspace, t_, guess.x, guess.xdot);
  std::vector<double> weights;
  for (std::uint32_t i = 0; i < selected.size(); ++i) {
    weights.push_back(1.0 / (reduce_options_.rtol * (std::abs(guess.x[i]) + selected.nominal(i))));
  }
  auto start = find_consistent_start(selected, *workspace, t_, guess, weights);
  if (!start) return start.failure();
  for (const StartChange& c : start->changes) {
    reduction->choices.push_back({"start value of " + c.name, to_text(c.given), to_text(c.used),
                                  "consistency at t = " + to_text(t_)});
  }
  const auto whole = *differentiated();
  StartValues consistent = whole->system->start_values();
  std::copy_n(start->x.begin(), consistent.x.size(), consistent.x.begin());
  reduction->system = underlying_ode(whole, consistent);
  DecisionRecord& record = reduction->choices.emplace_back();
  record = {"form", "", "x' = f(t, x) with constraints",
            std::to_string(reduction->system->size()) + " unknowns, steps projected"};
  return reduction;
}

}  // namespace saltus::detail
