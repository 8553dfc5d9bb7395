// Models that are restarted, and how.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <saltus/initialize.hpp>
#include <saltus/lower.hpp>
#include <saltus/model.hpp>

#include "unit/reduce/analysed_models.hpp"

namespace saltus::testing_support {

/// A compiled model with its workspace and start values that tests change by name.
struct Started {
  explicit Started(const Model& m) : system(compiled(m)), workspace(system->workspace()) {
    start = system->start_values();
  }

  std::uint32_t index_of(const std::string& name) const {
    for (std::uint32_t i = 0; i < system->size(); ++i) {
      if (system->unknown_name(i) == name) return i;
    }
    ADD_FAILURE() << "no unknown '" << name << "'";
    return 0;
  }
  void set(std::vector<std::pair<std::string, double>> values) {
    for (const auto& [name, value] : values) start.x[index_of(name)] = value;
  }
  std::vector<std::uint8_t> flags(const std::vector<std::string>& names) const {
    std::vector<std::uint8_t> f(system->size(), 0);
    for (const std::string& name : names) f[index_of(name)] = 1;
    return f;
  }
  Result<Restart> restart_by(RestartPolicy policy, double t = 0.0) {
    RestartOptions options;
    options.policy = policy;
    return restart_with(options, t);
  }
  Result<Restart> restart_with(const RestartOptions& options, double t = 0.0) {
    return restart(*system, *workspace, t, start, options);
  }
  double value(const Restart& r, const std::string& name) const { return r.x[index_of(name)]; }
  double slope(const Restart& r, const std::string& name) const { return r.xdot[index_of(name)]; }

  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  StartValues start;
};

inline double strength_of(const Restart& r, const std::string& name, int order = 0) {
  for (const Impulse& i : r.impulses) {
    if (i.name == name && i.order == order) return i.strength;
  }
  return 0.0;
}

/// Two capacitors that a switch has just connected.
inline void write_parallel_capacitors(Model& m, double c1 = 1.0, double c2 = 3.0) {
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", 2.0), i = m.algebraic("i");
  m.equation("first", c1 * der(v1) == i);
  m.equation("second", c2 * der(v2) == -i);
  m.equation("parallel", v1 == v2);
}

/// A point of masses 1 and 10 (along x and y) that meets the line x + y = 0 and stays on it; the
/// constraint on the position, or on the velocity.
inline void write_plastic_impact(Model& m, bool on_position, double offset = 0.0) {
  const double c = 1.0 / std::sqrt(2.0);
  Expr x = m.state("x", c * offset), y = m.state("y", c * offset);
  Expr vx = m.state("vx", 1.0), vy = m.state("vy", 0.5), lambda = m.algebraic("lambda");
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation("force x", der(vx) == -c * lambda);
  m.equation("force y", 10.0 * der(vy) == -c * lambda);
  m.equation("line", on_position ? c * x + c * y == 0.0 : c * vx + c * vy == 0.0);
}

}  // namespace saltus::testing_support
