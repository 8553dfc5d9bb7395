// Random points around the start values at which the residual can be evaluated.
#include <cmath>
#include <utility>

#include "system/contract/trial.hpp"

namespace saltus::detail {

namespace {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the same numbers on every machine, which the
/// distributions of the standard library do not promise.
class TrialRandom {
 public:
  explicit TrialRandom(std::uint64_t seed) : state_(seed) {}
  /// Between -1 and 1.
  double sign_and_size() { return 2.0 * static_cast<double>(next() >> 11) * 0x1p-53 - 1.0; }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace

void choose_points(Trial& trial) {
  constexpr double spread = 0.1;
  constexpr int tries_per_point = 20;  // part of the neighbourhood may be out of domain
  const StartValues start = trial.system.start_values();
  TrialRandom random(trial.options.seed);
  std::vector<double> f(trial.size());
  Evaluation last = Evaluation::ok();
  for (int i = 1; i <= tries_per_point * trial.options.n_points; ++i) {
    TrialPoint point{.number = i, .x = start.x, .xdot = start.xdot};
    for (auto* values : {&point.x, &point.xdot}) {
      for (std::size_t j = 0; j < values->size(); ++j) {
        double& value = (*values)[j];
        const double nominal = trial.system.nominal(static_cast<std::uint32_t>(j));
        value += spread * (std::fabs(value) + nominal) * random.sign_and_size();
      }
    }
    const Evaluation evaluation = trial.workspace->residual(trial.t(), point.x, point.xdot, f);
    if (evaluation) {
      trial.points.push_back(std::move(point));
      if (trial.points.size() == static_cast<std::size_t>(trial.options.n_points)) return;
      continue;
    }
    last = evaluation;
    if (evaluation.row() >= trial.size()) {
      trial.findings.add("rows", "residual",
                         "the residual reports trouble in row " + std::to_string(evaluation.row()) +
                             " of " + std::to_string(trial.size()) + trial.where(point));
    }
  }
  if (!trial.points.empty()) return;
  trial.findings.add("points", "",
                     "the residual cannot be evaluated at any of " +
                         std::to_string(tries_per_point * trial.options.n_points) +
                         " points around the start values: " + trial.trouble(last) + " (seed " +
                         std::to_string(trial.options.seed) + ")");
}

}  // namespace saltus::detail
