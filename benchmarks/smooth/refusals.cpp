// Item 6: what is wrong is named; what fails leaves a valid part; what must not be negative is not.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>

#include <saltus/simulate.hpp>
#include <saltus/system/function_system.hpp>

#include "smooth.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

/// Whether a mistake is refused with all of the given words.
bool refused(const char* what, const std::function<std::string()>& mistake,
             std::initializer_list<const char*> words) {
  std::string message;
  try {
    message = mistake();
  } catch (const Error& e) {
    message = e.what();
  }
  bool ok = true;
  for (const char* word : words) ok = ok && message.find(word) != std::string::npos;
  std::printf("   %s: \"%s\"%s\n", what, message.c_str(), ok ? "" : "  <- does not name it");
  return ok;
}

bool wrong_models_are_named() {
  bool ok = refused("missing equation",
                    [] {
                      Model m("tank");
                      Expr h = m.state("h", 1.0), q = m.algebraic("q");
                      m.equation("level", der(h) == -q);
                      m.build();
                      return std::string();
                    },
                    {"tank", "1 equation missing"});
  ok &= refused("misspelt option",
                [] {
                  RunOptions o;
                  set_option(o, "rtoll", "1e-3");
                  return std::string();
                },
                {"rtoll", "rtol"});
  ok &= refused("start that is not finite",
                [] {
                  Model m("tank");
                  m.state("h", std::nan(""));
                  return std::string();
                },
                {"'h'", "nan"});
  // A system of a user's own: what a compiled model would do about it, it cannot.
  ok &= refused("singular at the start",
                [] {
                  const auto bridge =
                      make_system({.unknowns = {{"x", 1.0}, {"a", 0.0, false}, {"b", 0.0, false}},
                                   .residual =
                                       [](double, auto x, auto rate, auto f) {
                                         f[0] = rate[0] + x[1];
                                         f[1] = x[1] + x[2] - x[0];
                                         f[2] = 2.0 * x[1] + 2.0 * x[2] - 2.0 * x[0];
                                       },
                                   .equations = {"motion", "node", "node again"}});
                  return simulate(bridge).report.message;
                },
                {"'node", "'a'"});
  ok &= refused("higher index without derivatives",
                [] {
                  const auto rail =
                      make_system({.unknowns = {{"x", 0.0}, {"v", 1.0}, {"f", 0.0, false}},
                                   .residual =
                                       [](double t, auto x, auto rate, auto f) {
                                         f[0] = rate[0] - x[1];
                                         f[1] = rate[1] - x[2];
                                         f[2] = x[0] - std::sin(t);
                                       },
                                   .equations = {"position", "force", "rail"}});
                  return simulate(rail).report.message;
                },
                {"'rail'", "index 1", "derivatives"});
  ok &= refused("an equation given twice",
                [] {
                  Model m("bridge");
                  Expr x = m.state("x", 1.0), a = m.algebraic("a"), b = m.algebraic("b");
                  m.equation("motion", der(x) == -a);
                  m.equation("node", a + b == x);
                  m.equation("node again", 2.0 * a + 2.0 * b == 2.0 * x);
                  const Solution s = simulate(m);
                  return s.report.warnings.empty() ? s.report.message : s.report.warnings[0];
                },
                {"not determined", "redundant"});
  return ok;
}

/// x' = 1 and y' = sqrt(1 - x): no engine gets beyond x = 1.
bool failures_leave_a_valid_part() {
  bool ok = true;
  for (const EngineKind kind :
       {EngineKind::ida, EngineKind::radau, EngineKind::dopri5, EngineKind::dop853}) {
    Model m("wall");
    Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
    m.equation("motion", der(x) == 1.0);
    m.equation("root law", der(y) == sqrt(1.0 - x));
    const Solution s = simulate(m, {.t_end = 2.0, .engine = kind});
    bool valid = s.report.outcome == Outcome::failed && s.report.t_reached > 0.9 &&
                 s.report.t_reached < 1.0001 &&
                 s.report.message.find("'root law'") != std::string::npos &&
                 s.trajectory.t_end() == s.report.t_reached;
    for (const double t : s.trajectory.times()) {
      valid = valid && std::isfinite(s.at("y", t)) && std::abs(s.at("x", t) - t) < 1e-5;
    }
    std::printf("   %s: \"%s\"\n", name(kind).data(), s.report.message.c_str());
    ok = ok && valid;
  }
  return ok;
}

/// The smallest value any of the three substances takes in Robertson's reaction up to 4e10.
double smallest_concentration(EngineKind kind, double atol, bool enforced) {
  Model m("robertson");
  Expr a = m.state("a", 1.0), b = m.state("b", 0.0), c = m.state("c", 0.0);
  m.equation(der(a) == -0.04 * a + 1e4 * b * c);
  m.equation(der(b) == 0.04 * a - 1e4 * b * c - 3e7 * b * b);
  m.equation(der(c) == 3e7 * b * b);
  RunOptions o{.t_end = 4e10, .rtol = 1e-3, .atol = atol, .engine = kind};
  o.output.dense = false;
  o.limits.max_steps = 100000;
  if (enforced) o.non_negative = {"a", "b", "c"};
  const Solution s = simulate(m, o);
  if (enforced && !s.ok()) {
    std::printf("   %s: %s\n", name(kind).data(), s.report.message.c_str());
    return -std::numeric_limits<double>::infinity();
  }
  double smallest = 0.0;
  for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r) {
    for (const double v : s.trajectory.row(r)) smallest = std::min(smallest, v);
  }
  return smallest;
}

}  // namespace

bool show_refusals(int number) {
  Item item(number);
  item.holds("wrong models are named", wrong_models_are_named());
  item.holds("failures name time and equation and leave a valid part",
             failures_leave_a_valid_part());
  // Each engine at tolerances at which it goes astray if left alone.
  struct Case {
    EngineKind kind;
    double atol;
  };
  for (const Case& c : {Case{EngineKind::ida, 1e-3}, Case{EngineKind::radau, 1e-3},
                        Case{EngineKind::radau, 1e-5}}) {
    char text[96];
    std::snprintf(text, sizeof text, "Robertson on %s, atol %.0e: enforced", name(c.kind).data(),
                  c.atol);
    item.at_least(text, smallest_concentration(c.kind, c.atol, true), 0.0);
    const double free = smallest_concentration(c.kind, c.atol, false);
    std::snprintf(text, sizeof text, "free %.1e", free);
    // The control: at the coarse tolerance a free run goes below zero.
    item.holds(text, free < 0 || c.atol < 1e-3);
  }
  return item.print();
}

}  // namespace saltus::bench
