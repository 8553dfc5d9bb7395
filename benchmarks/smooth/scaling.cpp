// Item 3: work per step of a reaction-diffusion DAE in one space dimension does not depend on its
// size, time per step grows like the size.
#include <cmath>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

#include "smooth.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

/// u' = d u_xx + r u (1 - u) w - a max(u - 1/2, 0) on cells of unit width, w (1 + u^2) = u.
void write_diffusion(Model& m, std::uint32_t cells) {
  std::vector<double> start(cells);
  for (std::uint32_t i = 0; i < cells; ++i) start[i] = 0.4 + 0.3 * std::sin(0.37 * i);
  Expr u = m.states("u", start), w = m.algebraics("w", cells, {.guess = 0.3});
  Expr d = m.parameter("d", 10), r = m.parameter("r", 5), a = m.parameter("a", 2);
  const Expr left = concat({Expr(0.0), u.slice(0, cells - 1)});
  const Expr right = concat({u.slice(1, cells - 1), Expr(0.0)});
  const Expr source = where(untracked(u, Comparison::greater, 0.5), a * (u - 0.5), Expr(0.0));
  m.equation("u", der(u) == d * (left - 2.0 * u + right) + r * (u * (1.0 - u) * w) - source);
  m.equation("w", w * (1.0 + u * u) == u);
}

struct Figures {
  double n = 0;
  double steps = 0;
  double seconds_per_step = 0;
  double residuals_per_step = 0;
  double factorizations_per_step = 0;
  bool sparse = false;
};

Figures measure(std::uint32_t cells) {
  Model m("diffusion");
  write_diffusion(m, cells);
  RunOptions o{.t_end = 10.0, .rtol = 1e-5, .atol = 1e-7, .engine = EngineKind::ida};
  o.output.dense = false;
  o.output.points = OutputPoints::times;
  o.output.times = {10.0};
  Figures best;
  // The best of a few runs: small ones are quickly disturbed.
  const int repeats = cells < 10000 ? 5 : 2;
  for (int k = 0; k < repeats; ++k) {
    Run run = start_run(m, o);
    const double begin = cpu_seconds();
    while (run.advance()) {
    }
    const double seconds = cpu_seconds() - begin;
    const RunReport& report = run.report();
    const WorkCounts work = report.total_work();
    if (!report.ok()) return {};
    const auto steps = static_cast<double>(work.n_steps);
    if (best.steps > 0 && seconds / steps > best.seconds_per_step) continue;
    best = {2.0 * cells,
            steps,
            seconds / steps,
            static_cast<double>(work.n_evaluations) / steps,
            static_cast<double>(work.n_factorizations) / steps,
            report.work[0].linear_solver == "sparse"};
  }
  return best;
}

}  // namespace

bool show_scaling(int number) {
  Item item(number);
  std::vector<Figures> all;
  for (const std::uint32_t cells : {500U, 5000U, 50000U}) {
    all.push_back(measure(cells));
    const Figures& f = all.back();
    std::printf(
        "   n = %6.0f: %3.0f steps, %8.3f ms per step, %.2f residuals, %.3f factorisations "
        "per step\n",
        f.n, f.steps, 1e3 * f.seconds_per_step, f.residuals_per_step, f.factorizations_per_step);
  }
  const Figures &small = all.front(), &large = all.back();
  item.holds("KLU", small.sparse && large.sparse);
  // Independent of n: the same within a third, which is what changing step counts leave.
  item.at_most("residuals per step, large/small",
               large.residuals_per_step / small.residuals_per_step, 1.33);
  item.at_most("factorisations per step, large/small",
               large.factorizations_per_step / small.factorizations_per_step, 1.33);
  const double exponent =
      std::log(large.seconds_per_step / small.seconds_per_step) / std::log(large.n / small.n);
  item.at_most("time per step grows like n^", exponent, 1.2);
  return item.print();
}

}  // namespace saltus::bench
