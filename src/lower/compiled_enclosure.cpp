#include "lower/compiled_enclosure.hpp"

#include <algorithm>

#include "lower/compiled_system.hpp"
#include "lower/compiled_workspace.hpp"

namespace saltus::detail {

template <class Set>
void CompiledEnclosure::load_signal(std::uint32_t value, const StepPolynomial& step, Interval s,
                                    int order, Set&& set) {
  const std::optional<SignalPiece> piece =
      workspace_.signal_piece(value, step.t_left, step.t_right);
  if (!piece) {
    for (int k = 0; k <= order; ++k) set(k, Interval::entire());
    return;
  }
  // Powers of (t - origin), and t runs through t_left + s h.
  const Interval h = Interval(step.t_right) - Interval(step.t_left);
  const Interval to_left = Interval(step.t_left) - Interval(piece->origin);
  const Interval t = to_left + s * h;
  ranges_.expand(SignalPiece::degree, t,
                 [&](int j) { return Interval(piece->c[static_cast<std::size_t>(j)]); });
  Interval power(1.0);
  for (int k = 0; k <= order; ++k) {
    set(k, ranges_.coefficient(k) * power);
    power = power * h;
  }
}

template <class Set>
void CompiledEnclosure::load(const GatheredProgram& p, const StepPolynomial& step, Interval s,
                             int order, Set&& set) {
  if (p.reads_time) {
    const Interval h = Interval(step.t_right) - Interval(step.t_left);
    for (int k = 0; k <= order; ++k) {
      set(GatheredProgram::time, 0, k,
          k == 0   ? Interval(step.t_left) + s * h
          : k == 1 ? h
                   : Interval(0.0));
    }
  }
  for (std::size_t i = 0; i < p.unknowns.size(); ++i) {
    ranges_.expand(step, p.unknowns[i], s);
    for (int k = 0; k <= order; ++k) set(GatheredProgram::x, i, k, ranges_.coefficient(k));
  }
  for (std::size_t i = 0; i < p.signal_values.size(); ++i) {
    load_signal(p.signal_values[i], step, s, order,
                [&](int k, const Interval& c) { set(GatheredProgram::signals, i, k, c); });
  }
  const auto hold = [&](GatheredProgram::Argument argument, std::span<const std::uint32_t> numbers,
                        std::span<const double> values) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (int k = 0; k <= order; ++k) {
        set(argument, i, k, Interval(k == 0 ? values[numbers[i]] : 0.0));
      }
    }
  };
  hold(GatheredProgram::parameters, p.parameter_numbers, workspace_.parameters());
  hold(GatheredProgram::discrete, p.discrete_numbers, workspace_.discrete());
  hold(GatheredProgram::previous, p.previous_numbers, workspace_.settled_previous());
}

void CompiledEnclosure::hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) {
  const GatheredProgram& p = plan_.enclosable();
  if (!all_) all_ = std::make_unique<Locked<Evaluator<Interval>>>(Evaluator<Interval>(p.program));
  switching_.board().apply(*all_);
  Evaluator<Interval>& e = all_->evaluator;
  load(p, step, s, 0, [&](std::size_t argument, std::size_t i, int, const Interval& value) {
    e.input(argument)[i] = value;
  });
  e.run();
  for (const SwitchPlan::Function& f : plan_.functions()) {
    const bool by_lane = !f.lane_active_if.empty();
    if (!by_lane && !switching_.is_active(f.first)) continue;
    for (std::uint32_t i = f.first; i < f.first + f.count; ++i) {
      if (by_lane && !switching_.is_active(i)) continue;
      g[i] = f.encloses ? e.outputs()[i] : Interval::entire();
    }
  }
}

CompiledEnclosure::Series& CompiledEnclosure::prepared(std::uint32_t which, int order) {
  auto& by_order = singles_[which];
  const auto k = static_cast<std::size_t>(order);
  if (by_order.size() <= k) by_order.resize(k + 1);
  if (!by_order[k]) {
    by_order[k] =
        std::make_unique<Series>(TaylorEvaluator<Interval>(plan_.single(which).program, order));
  }
  return *by_order[k];
}

bool CompiledEnclosure::series(std::uint32_t which, const StepPolynomial& step, Interval s,
                               int order, std::span<Interval> coefficients) {
  if (!plan_.function_of(which).has_series) return false;
  Series& single = prepared(which, order);
  switching_.board().apply(single);
  TaylorEvaluator<Interval>& e = single.evaluator;
  load(plan_.single(which), step, s, order,
       [&](std::size_t argument, std::size_t i, int k, const Interval& value) {
         e.input(argument, i)[static_cast<std::size_t>(k)] = value;
       });
  e.run();
  const std::span<const Interval> found = e.output(0);
  std::copy(found.begin(), found.end(), coefficients.begin());
  return e.all_decided() &&
         std::all_of(found.begin(), found.end(), [](const Interval& c) { return c.is_bounded(); });
}

}  // namespace saltus::detail
