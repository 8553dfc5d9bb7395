// Builds a system from a template over its numbers: plain C++ with its own if, min, max and abs.
//
//   struct Diode {
//     template <class T>
//     void operator()(const T& t, std::span<const T> x, std::span<const T> xdot,
//                     std::span<T> f) const {
//       f[0] = x[1] > 0 ? xdot[0] - x[1] : xdot[0];
//       f[1] = sin(t) - x[0] - x[1];
//     }
//   };
//   auto system = make_template_system({.unknowns = {{"u"}, {.name = "i", .differential = false}}},
//                                      Diode{});
//
// Every comparison becomes a switching function, named by its place and its operands. The code runs
// with numbers that answer comparisons from locks, so it is smooth during a step, and with numbers
// that carry derivatives or intervals. Three arguments (t, x, xdot) with a writable last one make
// it x' = f(t, x).
//
// Its decisions must follow from its arguments. If something else decides (a counter, a file, a
// random number), this is refused by name when it shows. A decision on plain doubles cannot be
// detected.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <saltus/system/function_system.hpp>
#include <saltus/system/tracked.hpp>

namespace saltus {

struct TemplateDescription {
  std::vector<FunctionUnknown> unknowns;
  /// Names, one per equation; missing: "equation 1", …
  std::vector<std::string> equations = {};
  /// The pattern of dF/dx and dF/dx' together, for all branches. Missing: full.
  std::optional<CscPattern> pattern = {};
  /// Names of the functions that a member `switching(t, x, g)` or `switching(t, x, xdot, g)`
  /// writes: relations g > 0 that no equation contains, to trigger actions.
  std::vector<std::string> switches = {};
  /// Actions; their triggers are names of `switches`.
  std::vector<FunctionAction> actions = {};
  /// Limits the runs that explore the comparisons of the code. It runs at the start values with
  /// answers inverted, one after the other, then in combination, up to this number of runs.
  int exploration_limit = 4096;
};

namespace detail {

using TemplateDual = Dual<8>;
using TemplateSeries = TaylorNumber<Interval>;

template <class V>
struct TemplateCalls {
  using T = Tracked<V>;
  void (*equations)(const void* code, const T& t, std::span<const T> x, std::span<const T> xdot,
                    std::span<T> out);
  void (*switching)(const void* code, const T& t, std::span<const T> x, std::span<const T> xdot,
                    std::span<T> g);
};

/// A user's code with all number types with which it runs.
struct TemplateCode {
  std::shared_ptr<const void> code;
  bool is_explicit = false;
  bool has_switching = false;
  std::tuple<TemplateCalls<double>, TemplateCalls<TemplateDual>, TemplateCalls<Interval>,
             TemplateCalls<TemplateSeries>, TemplateCalls<FormulaHash>>
      calls;

  template <class V>
  const TemplateCalls<V>& of() const {
    return std::get<TemplateCalls<V>>(calls);
  }
};

template <class F, class T>
concept TemplateExplicit = requires(const F& f, const T& t, std::span<const T> x,
                                    std::span<T> out) {
  f(t, x, out);
};
template <class F, class T>
concept TemplateResidual = requires(const F& f, const T& t, std::span<const T> x,
                                    std::span<const T> xdot, std::span<T> out) {
  f(t, x, xdot, out);
};
template <class F, class T>
concept TemplateSwitchingOfX = requires(const F& f, const T& t, std::span<const T> x,
                                        std::span<T> g) {
  f.switching(t, x, g);
};
template <class F, class T>
concept TemplateSwitchingOfXdot = requires(const F& f, const T& t, std::span<const T> x,
                                           std::span<const T> xdot, std::span<T> g) {
  f.switching(t, x, xdot, g);
};

template <class F, class V>
TemplateCalls<V> template_calls() {
  using T = Tracked<V>;
  using Inputs = std::span<const T>;
  TemplateCalls<V> calls{};
  calls.equations = [](const void* code, const T& t, Inputs x, Inputs xdot, std::span<T> out) {
    const F& f = *static_cast<const F*>(code);
    if constexpr (TemplateExplicit<F, T>) {
      static_cast<void>(xdot);
      f(t, x, out);
    } else {
      f(t, x, xdot, out);
    }
  };
  calls.switching = [](const void* code, const T& t, Inputs x, Inputs xdot, std::span<T> g) {
    const F& f = *static_cast<const F*>(code);
    if constexpr (TemplateSwitchingOfX<F, T>) {
      f.switching(t, x, g);
    } else if constexpr (TemplateSwitchingOfXdot<F, T>) {
      f.switching(t, x, xdot, g);
    }
    static_cast<void>(f), static_cast<void>(t), static_cast<void>(x);
    static_cast<void>(xdot), static_cast<void>(g);
  };
  return calls;
}

std::shared_ptr<const System> make_template_system(TemplateDescription description,
                                                   TemplateCode code);

}  // namespace detail

/// Builds the system. Throws ModelError if the parts do not fit together. The code is copied, and
/// called as const from any thread.
template <class F>
std::shared_ptr<const System> make_template_system(TemplateDescription description, F code) {
  using T = Tracked<double>;
  static_assert(detail::TemplateExplicit<F, T> || detail::TemplateResidual<F, T>,
                "the code must be callable as f(t, x, xdot) or as f(t, x, xdot, residual) with "
                "std::span<const T>, and std::span<T> for the last one");
  return detail::make_template_system(
      std::move(description),
      {.code = std::make_shared<const F>(std::move(code)),
       .is_explicit = detail::TemplateExplicit<F, T>,
       .has_switching = detail::TemplateSwitchingOfX<F, T> || detail::TemplateSwitchingOfXdot<F, T>,
       .calls = {detail::template_calls<F, double>(),
                 detail::template_calls<F, detail::TemplateDual>(),
                 detail::template_calls<F, Interval>(),
                 detail::template_calls<F, detail::TemplateSeries>(),
                 detail::template_calls<F, FormulaHash>()}});
}

}  // namespace saltus
