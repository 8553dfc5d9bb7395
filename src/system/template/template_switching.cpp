#include "system/template/template_switching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>

namespace saltus::detail {

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace

template <class V, class Write>
Evaluation TemplateSwitching::all_functions(const Write& write) {
  auto& a = runner_.arguments<V>();
  std::fill(a.differences.begin(), a.differences.end(), V(no_value));
  if (!a.differences.empty()) {
    // An equation that has no value here is no concern of the comparisons made before.
    const Evaluation equations = runner_.run_equations<V>(true);
    if (equations.status() == Evaluation::Status::failed) return equations;
  }
  if (n_named_ > 0) {
    const Evaluation functions = runner_.run_switching<V>(true);
    if (!functions) return functions;
  }
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (!is_active(i)) continue;
    const Evaluation written =
        write(i, i < n_named_ ? a.g[i].value() : a.differences[i - n_named_]);
    if (!written) return written;
  }
  return Evaluation::ok();
}

Evaluation TemplateSwitching::evaluate(double t, std::span<const double> x,
                                       std::span<const double> xdot, std::span<double> g) {
  SALTUS_ASSERT(g.size() == count());
  runner_.load(t, x, xdot);
  std::fill(g.begin(), g.end(), 0.0);
  return all_functions<double>([&](std::uint32_t i, double value) {
    g[i] = value;
    return std::isfinite(value) ? Evaluation::ok() : Evaluation::out_of_domain(i);
  });
}

Evaluation TemplateSwitching::evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                                           std::span<const double> xdot, double& g) {
  runner_.load(t, x, xdot);
  auto& a = runner_.arguments<double>();
  if (which < n_named_) {
    const Evaluation done = runner_.run_switching<double>(false);
    if (!done) return done;
    g = a.g[which].value();
  } else {
    const std::uint32_t comparison = which - n_named_;
    const int call = runner_.call_of(comparison);
    if (call < 0) {
      g = 0.0;
      return Evaluation::ok();
    }
    a.differences[comparison] = no_value;
    const Evaluation done =
        call == 0 ? runner_.run_equations<double>(true) : runner_.run_switching<double>(true);
    if (done.status() == Evaluation::Status::failed) return done;
    g = a.differences[comparison];
  }
  return std::isfinite(g) ? Evaluation::ok() : Evaluation::out_of_domain(which);
}

Evaluation TemplateSwitching::rates(double t, std::span<const double> x,
                                    std::span<const double> xdot, std::span<double> g,
                                    std::span<double> gdot) {
  SALTUS_ASSERT(g.size() == count() && gdot.size() == count());
  auto& a = runner_.arguments<TemplateDual>();
  const auto moving = [](double value, double rate) {
    TemplateDual number(value);
    number.slope[0] = rate;
    return Tracked<TemplateDual>::of(number);
  };
  a.t = moving(t, 1.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    a.x[i] = moving(x[i], xdot[i]);
    a.xdot[i] = xdot[i];
  }
  std::fill(g.begin(), g.end(), 0.0);
  std::fill(gdot.begin(), gdot.end(), 0.0);
  return all_functions<TemplateDual>([&](std::uint32_t i, const TemplateDual& value) {
    g[i] = value.value;
    gdot[i] = value.slope[0];
    return std::isfinite(g[i]) && std::isfinite(gdot[i]) ? Evaluation::ok()
                                                         : Evaluation::out_of_domain(i);
  });
}

Evaluation TemplateSwitching::gradients(double t, std::span<const double> x,
                                        std::span<const double> xdot, std::span<double> dg_dx) {
  const std::size_t m = count();
  SALTUS_ASSERT(dg_dx.size() == m * x.size());
  auto& a = runner_.arguments<TemplateDual>();
  a.t = t;
  for (std::size_t i = 0; i < x.size(); ++i) {
    a.x[i] = x[i];
    a.xdot[i] = xdot[i];
  }
  std::fill(dg_dx.begin(), dg_dx.end(), 0.0);
  const std::size_t width = TemplateDual().slope.size();
  for (std::size_t first = 0; first < x.size(); first += width) {
    const std::size_t n = std::min(width, x.size() - first);
    for (std::size_t k = 0; k < n; ++k) {
      TemplateDual direction(x[first + k]);
      direction.slope[k] = 1.0;
      a.x[first + k] = Tracked<TemplateDual>::of(direction);
    }
    const Evaluation done =
        all_functions<TemplateDual>([&](std::uint32_t i, const TemplateDual& value) {
          for (std::size_t k = 0; k < n; ++k) {
            dg_dx[(first + k) * m + i] = value.slope[k];
            if (!std::isfinite(value.slope[k])) return Evaluation::out_of_domain(i);
          }
          return Evaluation::ok();
        });
    if (!done) return done;
    for (std::size_t k = 0; k < n; ++k) a.x[first + k] = x[first + k];
  }
  return Evaluation::ok();
}

void TemplateSwitching::branches(std::span<std::uint8_t> truth) const {
  SALTUS_ASSERT(truth.size() == n_branches());
  for (std::size_t bit = 0; bit < truth.size(); ++bit) {
    const std::uint64_t formulas = runner_.formulas_of(bit < 64 ? 0 : 1);
    truth[bit] = static_cast<std::uint8_t>((formulas >> (bit % 64)) & 1U);
  }
}

}  // namespace saltus::detail
