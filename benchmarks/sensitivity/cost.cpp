// Item 7: what derivatives with respect to p parameters cost, in plain runs of a stiff model of 200 states.
//
// Brusselator with diffusion on a line, 100 cells (Hairer, Wanner: Solving ODEs II, section IV.1); the parameter B of
// its kinetics is one of its own in each of 20 zones of five cells. A run is timed as a whole (CPU time, best of
// interleaved batches), so evaluations, factorisations and the recording of all 200 p derivatives count.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

#include "sensitivity/sensitivity.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

constexpr int n_cells = 100, n_zones = 20;

std::shared_ptr<const ModelDefinition> zoned_brusselator() {
  Model m("brusselator");
  std::vector<Expr> b, u, v;
  for (int k = 0; k < n_zones; ++k) b.push_back(m.parameter("B" + std::to_string(k), 3.0));
  for (int i = 0; i < n_cells; ++i) {
    const double x = (i + 1.0) / (n_cells + 1);
    u.push_back(m.state("u" + std::to_string(i), 1.0 + std::sin(2 * M_PI * x)));
    v.push_back(m.state("v" + std::to_string(i), 3.0));
  }
  const double diffusion = 0.02 * (n_cells + 1) * (n_cells + 1);
  const Expr u_end(1.0), v_end(3.0);
  for (std::size_t i = 0; i < n_cells; ++i) {
    const bool first = i == 0, last = i + 1 == n_cells;
    const Expr zone = b[i * n_zones / n_cells];
    m.equation(der(u[i]) == 1.0 + u[i] * u[i] * v[i] - (zone + 1.0) * u[i] +
                                diffusion * ((first ? u_end : u[i - 1]) - 2.0 * u[i] +
                                             (last ? u_end : u[i + 1])));
    m.equation(der(v[i]) == zone * u[i] - u[i] * u[i] * v[i] +
                                diffusion * ((first ? v_end : v[i - 1]) - 2.0 * v[i] +
                                             (last ? v_end : v[i + 1])));
  }
  return m.build();
}

}  // namespace

bool show_cost(int number) {
  Item item(number);
  const auto model = zoned_brusselator();
  const std::vector<int> counts = {0, 1, 5, 10, 20};
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    std::vector<std::function<void()>> work;
    std::vector<Solution> runs(counts.size());
    for (std::size_t r = 0; r < counts.size(); ++r) {
      RunOptions options{.t_end = 10.0, .rtol = 1e-6, .atol = 1e-6};
      options.engine = engine;
      for (int k = 0; k < counts[r]; ++k) options.sensitivities.push_back("B" + std::to_string(k));
      work.push_back([&runs, r, options, model] { runs[r] = simulate(model, options); });
    }
    const std::vector<double> seconds = best_of_interleaved(work, 10.0);
    const std::string name(saltus::name(engine));
    double worst = 0.0;
    std::printf("   %s:    p   plain runs   bound   own steps  factorisations\n", name.c_str());
    for (std::size_t r = 1; r < counts.size(); ++r) {
      const double ratio = seconds[r] / seconds[0], bound = 1 + 0.7 * counts[r];
      const SensitivityWork& cost = runs[r].sensitivities.work();
      std::printf("      %7d %12.2f %7.1f %11llu %15llu\n", counts[r], ratio, bound,
                  static_cast<unsigned long long>(cost.n_steps + cost.n_rejected_steps),
                  static_cast<unsigned long long>(cost.n_factorizations));
      worst = std::max(worst, ratio / bound);
      item.holds(name + " with " + std::to_string(counts[r]),
                 runs[r].ok() && !runs[r].sensitivities.ends());
    }
    item.at_most(name + ": plain runs over 1 + 0.7 p at worst", worst, 1.0);
    item.at_most(name + ": additional factorisations",
                 static_cast<double>(runs.back().sensitivities.work().n_factorizations), 0.0);
  }
  return item.print();
}

}  // namespace saltus::bench
