#include "lower/compiled/compiled_enclosure.hpp"

#include <algorithm>

#include "lower/compiled/compiled_system.hpp"
#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

void CompiledEnclosure::load_signal(std::uint32_t value, const StepPolynomial& step, Interval s,
                                    std::span<Interval> to) {
  const std::optional<SignalPiece> piece =
      workspace_.signal_piece(value, step.t_left, step.t_right);
  if (!piece) {
    std::fill(to.begin(), to.end(), Interval::entire());
    return;
  }
  // Powers of (t - origin), and t runs through t_left + s h.
  const Interval h = Interval(step.t_right) - Interval(step.t_left);
  const Interval to_left = Interval(step.t_left) - Interval(piece->origin);
  const Interval t = to_left + s * h;
  ranges_.expand(SignalPiece::degree, t,
                 [&](int j) { return piece->c[static_cast<std::size_t>(j)]; });
  Interval power(1.0);
  int k = 0;
  for (Interval& c : to) {
    c = ranges_.coefficient(k++) * power;
    power = power * h;
  }
}

template <class Place>
void CompiledEnclosure::load(const GatheredProgram& p, const StepPolynomial& step, Interval s,
                             Place&& place) {
  if (p.reads_time) {
    const Interval h = Interval(step.t_right) - Interval(step.t_left);
    const std::span<Interval> to = place(GatheredProgram::time, 0);
    std::fill(to.begin(), to.end(), Interval(0.0));
    to[0] = Interval(step.t_left) + s * h;
    if (to.size() > 1) to[1] = h;
  }
  const bool is_whole = s.lo() == 0.0 && s.hi() == 1.0;
  for (std::size_t i = 0; i < p.unknowns.size(); ++i) {
    const std::span<Interval> to = place(GatheredProgram::x, i);
    if (is_whole && to.size() == 1) {
      to[0] = ranges_.over_whole(step, p.unknowns[i]);
      continue;
    }
    ranges_.expand(step, p.unknowns[i], s);
    int k = 0;
    for (Interval& c : to) c = ranges_.coefficient(k++);
  }
  for (std::size_t i = 0; i < p.signal_values.size(); ++i) {
    load_signal(p.signal_values[i], step, s, place(GatheredProgram::signals, i));
  }
  const auto hold = [&](GatheredProgram::Argument argument, std::span<const std::uint32_t> numbers,
                        std::span<const double> values) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::span<Interval> to = place(argument, i);
      std::fill(to.begin(), to.end(), Interval(0.0));
      to[0] = Interval(values[numbers[i]]);
    }
  };
  hold(GatheredProgram::parameters, p.parameter_numbers, workspace_.parameters());
  hold(GatheredProgram::discrete, p.discrete_numbers, workspace_.discrete());
  if (!p.previous_numbers.empty()) {
    hold(GatheredProgram::previous, p.previous_numbers, workspace_.settled_previous());
  }
}

void CompiledEnclosure::hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) {
  const GatheredProgram& p = plan_.enclosable();
  if (!all_) all_ = std::make_unique<Locked<Evaluator<Interval>>>(Evaluator<Interval>(p.program));
  switching_.board().apply(*all_);
  Evaluator<Interval>& e = all_->evaluator;
  load(p, step, s,
       [&](std::size_t argument, std::size_t i) { return e.input(argument).subspan(i, 1); });
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
  load(plan_.single(which), step, s,
       [&](std::size_t argument, std::size_t i) { return e.input(argument, i); });
  e.run();
  const std::span<const Interval> found = e.output(0);
  std::copy(found.begin(), found.end(), coefficients.begin());
  return e.all_decided() &&
         std::all_of(found.begin(), found.end(), [](const Interval& c) { return c.is_bounded(); });
}

}  // namespace saltus::detail
