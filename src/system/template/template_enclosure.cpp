#include "system/template/template_enclosure.hpp"

#include <algorithm>
#include <array>

#include <saltus/core/error.hpp>

namespace saltus::detail {

/// `make(coefficient)` makes a number from its Taylor coefficients 0 … order in powers of the position.
template <class V, class Make>
void TemplateEnclosure::load(const StepPolynomial& step, Interval s, int order, const Make& make) {
  auto& a = runner_.arguments<V>();
  SALTUS_ASSERT(step.n == a.x.size());
  const Interval h = Interval(step.t_right) - Interval(step.t_left);
  a.t = Tracked<V>::of(make([&](int k) {
    if (k == 0) return Interval(step.t_left) + s * h;
    return k == 1 ? h : Interval(0.0);
  }));
  std::array<Interval, SeriesOrder::max + 2> p;
  for (std::uint32_t i = 0; i < step.n; ++i) {
    part_.expand(step, i, s);
    for (int k = 0; k <= order + 1; ++k) p[static_cast<std::size_t>(k)] = part_.coefficient(k);
    a.x[i] = Tracked<V>::of(make([&](int k) { return p[static_cast<std::size_t>(k)]; }));
    if (runner_.parts().code.is_explicit && runner_.parts().n_named() == 0) continue;
    // x' = dx/ds / h
    a.xdot[i] = Tracked<V>::of(make([&](int k) {
      return Interval(static_cast<double>(k + 1)) * p[static_cast<std::size_t>(k) + 1] / h;
    }));
  }
}

void TemplateEnclosure::hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) {
  SALTUS_ASSERT(g.size() == switching_.count());
  load<Interval>(step, s, 0, [](const auto& coefficient) { return coefficient(0); });
  auto& a = runner_.arguments<Interval>();
  const std::uint32_t n_named = runner_.parts().n_named();
  std::fill(a.differences.begin(), a.differences.end(), Interval::entire());
  // What was not reached because the code threw stays the whole line.
  if (!a.differences.empty()) static_cast<void>(runner_.run_equations<Interval>(true));
  const bool has_functions = n_named > 0 && runner_.run_switching<Interval>(true);
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    if (i < n_named) {
      g[i] = has_functions ? a.g[i].value() : Interval::entire();
    } else if (switching_.is_active(i)) {
      g[i] = a.differences[i - n_named];
    }
  }
}

bool TemplateEnclosure::is_for(const Kept& kept, const StepPolynomial& step, Interval s,
                               int order) const {
  return kept.order == order && kept.version == runner_.version() && kept.s == s &&
         kept.t_left == step.t_left && kept.t_right == step.t_right &&
         std::equal(kept.step.begin(), kept.step.end(), step.coefficients.begin(),
                    step.coefficients.end());
}

void TemplateEnclosure::compute(Kept& kept, const StepPolynomial& step, Interval s, int order) {
  kept.t_left = step.t_left;
  kept.t_right = step.t_right;
  kept.s = s;
  kept.order = order;
  kept.version = runner_.version();
  kept.step.assign(step.coefficients.begin(), step.coefficients.end());

  const SeriesOrder all_of(order);
  load<TemplateSeries>(step, s, order, [&](const auto& coefficient) {
    TemplateSeries number;
    for (int k = 0; k <= order; ++k) number.c[static_cast<std::size_t>(k)] = coefficient(k);
    return number;
  });
  auto& a = runner_.arguments<TemplateSeries>();
  const std::uint32_t n_named = runner_.parts().n_named();
  const TemplateSeries none(std::numeric_limits<double>::quiet_NaN());  // the whole line
  std::fill(a.differences.begin(), a.differences.end(), none);
  if (!a.differences.empty()) static_cast<void>(runner_.run_equations<TemplateSeries>(true));
  const bool has_functions = n_named > 0 && runner_.run_switching<TemplateSeries>(true);
  const auto length = static_cast<std::size_t>(order) + 1;
  kept.series.resize(length * switching_.count());
  for (std::uint32_t i = 0; i < switching_.count(); ++i) {
    const TemplateSeries& number = i >= n_named    ? a.differences[i - n_named]
                                   : has_functions ? a.g[i].value()
                                                   : none;
    std::copy_n(number.c.begin(), length,
                kept.series.begin() + static_cast<std::ptrdiff_t>(i * length));
  }
}

bool TemplateEnclosure::series(std::uint32_t which, const StepPolynomial& step, Interval s,
                               int order, std::span<Interval> coefficients) {
  if (order > SeriesOrder::max || !switching_.is_active(which)) return false;
  const Kept* found = nullptr;
  for (const Kept& kept : kept_) {
    if (is_for(kept, step, s, order)) found = &kept;
  }
  if (found == nullptr) {
    compute(kept_[next_kept_], step, s, order);
    found = &kept_[next_kept_];
    next_kept_ = (next_kept_ + 1) % kept_.size();
  }
  const auto length = static_cast<std::size_t>(order) + 1;
  const auto own = std::span(found->series).subspan(which * length, length);
  std::copy(own.begin(), own.end(), coefficients.begin());
  return std::all_of(own.begin(), own.end(), [](const Interval& c) { return c.is_bounded(); });
}

}  // namespace saltus::detail
