// Enclosures of a template system's switching functions along a step.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <saltus/system/switching.hpp>

#include "system/template/polynomial_part.hpp"
#include "system/template/template_runner.hpp"
#include "system/template/template_switching.hpp"

namespace saltus::detail {

class TemplateEnclosure final : public StepEnclosure {
 public:
  TemplateEnclosure(TemplateRunner& runner, const TemplateSwitching& switching)
      : runner_(runner), switching_(switching) {}

  void hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) override;
  bool series(std::uint32_t which, const StepPolynomial& step, Interval s, int order,
              std::span<Interval> coefficients) override;

 private:
  /// One run gives the series of all functions, and they are asked for one by one: the last few runs are
  /// kept.
  struct Kept {
    double t_left = 0.0, t_right = 0.0;
    Interval s;
    int order = -1;
    std::uint64_t version = 0;
    std::vector<double> step;      // coefficients
    std::vector<Interval> series;  // of all functions, order + 1 each; the whole line: none
  };
  bool is_for(const Kept& kept, const StepPolynomial& step, Interval s, int order) const;
  void compute(Kept& kept, const StepPolynomial& step, Interval s, int order);
  template <class V, class Make>
  void load(const StepPolynomial& step, Interval s, int order, const Make& make);

  TemplateRunner& runner_;
  const TemplateSwitching& switching_;
  PolynomialPart part_;
  std::array<Kept, 4> kept_;
  std::size_t next_kept_ = 0;
};

}  // namespace saltus::detail
