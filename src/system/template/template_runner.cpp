#include "system/template/template_runner.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

namespace {

std::vector<std::uint8_t> locks_at_start(const TemplateParts& parts) {
  std::vector<std::uint8_t> locks(parts.n_named(), 0);
  const auto& truth = parts.exploration.truth;
  locks.insert(locks.end(), truth.begin(), truth.end());
  return locks;
}

}  // namespace

TemplateRunner::TemplateRunner(const TemplateParts& parts)
    : parts_(parts),
      locks_(locks_at_start(parts)),
      replay_(parts.exploration.table, locks_, parts.n_named()),
      call_of_(parts.exploration.table.size(), -1) {
  Arguments<FormulaHash>& a = arguments<FormulaHash>();
  const auto input = [](std::size_t number) {
    return Tracked<FormulaHash>::of(FormulaHash::input(number));
  };
  a.t = input(0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    a.x[i] = input(2 * i + 1);
    a.xdot[i] = input(2 * i + 2);
  }
  if (parts.n_named() == 0) return;
  load(0.0, parts.start, std::vector<double>(parts.size(), 0.0));
  if (!run_switching<double>(false)) return;
  const auto& g = arguments<double>().g;
  for (std::size_t i = 0; i < g.size(); ++i) locks_[i] = g[i].value() > 0.0 ? 1 : 0;
}

void TemplateRunner::load(double t, std::span<const double> x, std::span<const double> xdot) {
  Arguments<double>& a = arguments<double>();
  a.t = t;
  std::copy(x.begin(), x.end(), a.x.begin());
  std::copy(xdot.begin(), xdot.end(), a.xdot.begin());
}

void TemplateRunner::set_lock(std::uint32_t which, bool truth) {
  const std::uint8_t wanted = truth ? 1 : 0;
  if (locks_.at(which) == wanted) return;
  locks_[which] = wanted;
  if (which >= parts_.n_named()) is_settled_ = false;
  ++version_;
}

Evaluation TemplateRunner::decide(double t, std::span<const double> x,
                                  std::span<const double> xdot) {
  load(t, x, xdot);
  is_settled_ = false;
  ++version_;
  replay_.begin(ComparisonReplay::Mode::decide);
  Evaluation done = guarded([&] { make_call<double>(0, false); });
  if (parts_.n_named() > 0) {
    const Evaluation functions = guarded([&] { make_call<double>(1, false); });
    if (done) done = functions;
    const auto& g = arguments<double>().g;
    for (std::uint32_t i = 0; i < g.size(); ++i) {
      locks_[i] = functions && g[i].value() > 0.0 ? 1 : 0;
      if (done && std::isnan(g[i].value())) done = Evaluation::out_of_domain(i);
    }
  }
  if (done && replay_.undecided() != ComparisonReplay::none) {
    done = Evaluation::out_of_domain(parts_.n_named() + replay_.undecided());
  }
  return done;
}

void TemplateRunner::learn() {
  is_settled_ = true;
  trouble_.clear();
  std::fill(call_of_.begin(), call_of_.end(), std::int8_t{-1});
  replay_.begin(ComparisonReplay::Mode::learn);
  learn_call(0);
  const std::size_t n_in_equations = replay_.sequence().size();
  if (parts_.n_named() > 0) learn_call(1);
  const auto sequence = replay_.sequence();
  for (std::size_t k = sequence.size(); k-- > 0;) {
    call_of_[sequence[k].number] = k < n_in_equations ? 0 : 1;
  }
}

void TemplateRunner::learn_call(int call) {
  bool was_left = false;
  try {
    make_call<FormulaHash>(call, false);
  } catch (const ComparisonTrouble& trouble) {
    trouble_ = trouble.what();
    was_left = true;
  } catch (...) {  // it will throw again when it is evaluated
    was_left = true;
  }
  const Arguments<FormulaHash>& a = arguments<FormulaHash>();
  std::uint64_t all = 0;
  for (const auto& formula : call == 0 ? a.f : a.g) {
    all = FormulaHash::mix(all, formula.value().hash(), 0);
  }
  // What was not finished is the same only if all answers are.
  if (was_left) {
    for (const std::uint8_t lock : locks_) all = FormulaHash::mix(all, lock, 1);
  }
  formulas_[call] = all;
}

}  // namespace saltus::detail
