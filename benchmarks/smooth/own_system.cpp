// Item 5: a system written by hand in ten lines runs on all engines and keeps its contract.
#include <cmath>
#include <cstdio>
#include <string>

#include <saltus/integrate/contract.hpp>
#include <saltus/simulate.hpp>
#include <saltus/system/contract.hpp>
#include <saltus/system/function_system.hpp>

#include "smooth.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

constexpr EngineKind every_engine[] = {EngineKind::ida, EngineKind::radau, EngineKind::dopri5,
                                       EngineKind::dop853};

std::shared_ptr<const System> hand_written() {
  return make_system(
      {.unknowns = {{"x", 1.0}, {"v", 0.0}}, .derivative = [](double, auto x, auto rate) {
         rate[0] = x[1];
         rate[1] = -x[0];
       }});
}

}  // namespace

bool show_own_system(int number) {
  Item item(number);
  std::size_t findings = check_system(*hand_written()).size();
  for (const std::string& f : check_system(*hand_written())) std::printf("   %s\n", f.c_str());
  item.at_most("findings of the system's contract", static_cast<double>(findings), 0);

  double worst = 0.0;
  constexpr double tolerance = 1e-8;
  for (const EngineKind kind : every_engine) {
    const Solution s = simulate(
        hand_written(), {.t_end = 3.0, .rtol = tolerance, .atol = tolerance, .engine = kind});
    const double error = std::abs(s.final("x") - std::cos(3.0)) / tolerance;
    if (!s.ok() || error > 5000)
      std::printf("   %s: %s\n", name(kind).data(), s.report.message.c_str());
    worst = std::max(worst, s.ok() ? error : 1e300);
  }
  item.at_most("worst error of four engines in tolerances", worst, 5000);

  std::size_t engine_findings = 0;
  for (const EngineKind kind : every_engine) {
    for (const std::string& f :
         check_engine([kind](const System&s, Workspace&w, const EngineOptions&o) {
           return make_engine(kind, s, w, o);
         })) {
      std::printf("   %s: %s\n", name(kind).data(), f.c_str());
      ++engine_findings;
    }
  }
  item.at_most("findings of the engines' contract", static_cast<double>(engine_findings), 0);

  // The suite can see: one wrong sign in a Jacobian.
  const auto broken =
      make_system({.unknowns = {{"x", 1.0}},
                   .residual = [](double, auto x, auto rate, auto f) { f[0] = rate[0] + x[0]; },
                   .jacobian = [](double, auto, auto, auto by_x,
                                  auto by_rate) { by_x[0] = -(by_rate[0] = 1); }});
  item.holds("a wrong Jacobian is noticed", !check_system(*broken).empty());
  return item.print();
}

}  // namespace saltus::bench
