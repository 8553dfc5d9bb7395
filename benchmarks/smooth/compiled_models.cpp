#include <cmath>
#include <numbers>
#include <string>

#include <saltus/lower.hpp>
#include <saltus/model.hpp>

#include "stiff_models.hpp"

namespace saltus::bench {

namespace {

std::shared_ptr<const System> only_system(const Model& model) {
  const auto source = compile_model(model.build());
  return source->system(source->initial()).value();
}

}  // namespace

std::shared_ptr<const System> compiled_robertson() {
  Model m("Robertson");
  const Expr y1 = m.state("y1", 1.0), y2 = m.state("y2", 0.0), y3 = m.state("y3", 0.0);
  const Expr forward = 0.04 * y1 - 1e4 * y2 * y3, third = 3e7 * y2 * y2;
  m.equation(der(y1) == -forward);
  m.equation(der(y2) == forward - third);
  m.equation(der(y3) == third);
  return only_system(m);
}

std::shared_ptr<const System> compiled_brusselator() {
  constexpr int n = 100;
  constexpr double a = (n + 1.0) * (n + 1.0) / 50.0;
  Model m("Brusselator");
  std::vector<Expr> u, v;
  for (int i = 0; i < n; ++i) {
    const double x = (i + 1.0) / (n + 1.0);
    u.push_back(m.state("u" + std::to_string(i), 1.0 + std::sin(2.0 * std::numbers::pi * x)));
    v.push_back(m.state("v" + std::to_string(i), 3.0));
  }
  const Expr u_end = 1.0, v_end = 3.0;
  const auto at = [](const std::vector<Expr>& values, int i, const Expr& end) {
    return i < 0 || i >= n ? end : values[static_cast<std::size_t>(i)];
  };
  for (int i = 0; i < n; ++i) {
    const Expr ui = u[static_cast<std::size_t>(i)], vi = v[static_cast<std::size_t>(i)];
    const Expr uuv = ui * ui * vi;
    m.equation(der(ui) ==
               1.0 + uuv - 4.0 * ui + a * (at(u, i - 1, u_end) - 2.0 * ui + at(u, i + 1, u_end)));
    m.equation(der(vi) ==
               3.0 * ui - uuv + a * (at(v, i - 1, v_end) - 2.0 * vi + at(v, i + 1, v_end)));
  }
  return only_system(m);
}

}  // namespace saltus::bench
