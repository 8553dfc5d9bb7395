// Item 6: a chain of pendulums, analysed and integrated with sparse matrices.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

constexpr double tolerance = 1e-6;
constexpr int n_steps = 200;

/// Unit masses on rods of unit length, hanging straight; the lowest is pushed sideways. Five
/// equations each, index 3.
std::shared_ptr<const ModelDefinition> chain(int n_links) {
  Model m("chain of " + std::to_string(n_links));
  std::vector<Expr> x, y, u, v, force;
  for (int i = 0; i < n_links; ++i) {
    const std::string k = std::to_string(i + 1);
    const bool lowest = i + 1 == n_links;
    x.push_back(m.state("x" + k, 0.0));
    y.push_back(m.state("y" + k, -(i + 1.0)));
    u.push_back(m.state("u" + k, lowest ? 1.0 : 0.0));
    v.push_back(m.state("v" + k, 0.0));
    force.push_back(m.algebraic("force" + k, {.guess = 9.81 * (n_links - i)}));
  }
  for (int k = 0; k < n_links; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const std::string name = std::to_string(k + 1);
    const Expr dx = k > 0 ? x[i] - x[i - 1] : x[i], dy = k > 0 ? y[i] - y[i - 1] : y[i];
    Expr fx = -force[i] * dx, fy = -force[i] * dy - 9.81;
    if (k + 1 < n_links) {
      fx += force[i + 1] * (x[i + 1] - x[i]);
      fy += force[i + 1] * (y[i + 1] - y[i]);
    }
    m.equation("rate of x" + name, der(x[i]) == u[i]);
    m.equation("rate of y" + name, der(y[i]) == v[i]);
    m.equation("horizontal " + name, der(u[i]) == fx);
    m.equation("vertical " + name, der(v[i]) == fy);
    m.equation("rod " + name, dx * dx + dy * dy == 1.0);
  }
  return m.build();
}

RunOptions options() {
  RunOptions o;
  o.t_end = 100.0;
  o.rtol = o.atol = tolerance;
  o.engine = EngineKind::ida;
  o.linear_solver = LinearSolverKind::sparse;
  o.reduction = ReductionKind::structure;
  o.output.dense = false;
  o.limits.max_steps = n_steps;
  return o;
}

struct ChainCost {
  double analysis = 1e300;  // CPU seconds from the model to the first step
  double per_step = 1e300;
  double worst_rod = 0.0;  // of all rods at all recorded steps
  bool ok = true;
};

/// The cheapest of some repetitions.
ChainCost measure_chain(int n_links, int repetitions) {
  ChainCost cost;
  const auto m = chain(n_links);
  for (int k = 0; k < repetitions; ++k) {
    const double begin = cpu_seconds();
    saltus::Run run = start_run(m, options());
    const double started = cpu_seconds();
    cost.analysis = std::min(cost.analysis, started - begin);
    while (run.advance()) {
    }
    cost.per_step = std::min(cost.per_step, (cpu_seconds() - started) / n_steps);
    const Solution s = std::move(run).finish();
    if (s.report.outcome != Outcome::step_limit) {
      std::printf("   %d links: %s\n", n_links, s.report.message.c_str());
      cost.ok = false;
      break;
    }
    if (k > 0) continue;
    for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r) {
      const auto row = s.trajectory.row(r);
      double x = 0.0, y = 0.0;
      for (int i = 0; i < n_links; ++i) {
        const auto at = static_cast<std::size_t>(5 * i);
        const double dx = row[at] - x, dy = row[at + 1] - y;
        cost.worst_rod = std::max(cost.worst_rod, std::abs(dx * dx + dy * dy - 1.0));
        x = row[at];
        y = row[at + 1];
      }
    }
  }
  return cost;
}

}  // namespace

bool show_large(int number) {
  Item item(number);
  const int sizes[] = {10, 100, 1000};
  std::vector<ChainCost> costs;
  bool all_ok = true;
  for (const int n : sizes) {
    costs.push_back(measure_chain(n, 5));
    std::printf(
        "   %5d equations: analysed and started in %.3f s, %.3f ms per step, rods within "
        "%.1e\n",
        5 * n, costs.back().analysis, 1e3 * costs.back().per_step, costs.back().worst_rod);
    all_ok = all_ok && costs.back().ok;
  }
  const double growth = std::log(costs[2].per_step / costs[0].per_step) / std::log(100.0);
  item.at_most("5,000 equations analysed in", costs[2].analysis, 5.0, " s");
  item.at_most("cost per step grows like n^", growth, 1.3);
  double worst = 0.0;
  for (const ChainCost& c : costs) worst = std::max(worst, c.worst_rod);
  item.at_most("rods within", worst, 1e-11);

  const double begin = cpu_seconds();
  const auto large = chain(4000);
  const double built = cpu_seconds();
  RunOptions o = options();
  o.limits.max_steps = 1;
  saltus::Run run = start_run(large, o);
  const double seconds = cpu_seconds() - built;
  std::printf("   20000 equations: written in %.2f s, analysed and started in %.2f s\n",
              built - begin, seconds);
  all_ok = all_ok && run.advance();
  item.at_most("20,000 equations in", seconds, 20.0, " s");
  item.holds(all_ok ? "all run" : "not all run", all_ok);
  return item.print();
}

}  // namespace saltus::bench
