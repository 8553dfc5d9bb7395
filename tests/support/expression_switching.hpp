// Switching functions written as expressions of time and states, with all their abilities: what a
// compiled model offers, without a model.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <saltus/expr.hpp>
#include <saltus/numerics/bernstein.hpp>
#include <saltus/system/switching.hpp>

namespace saltus::test {

/// Ranges and Taylor coefficients of the unknowns of a step in intervals.
class StepBoxes {
 public:
  /// Coefficients 0 … order of x_i(s + tau) for every s of a part of the step. Over a part each of them
  /// is a polynomial in s, enclosed by its own Bernstein coefficients.
  static void taylor(const StepPolynomial& step, std::uint32_t i, const Interval& s,
                     std::span<Interval> out) {
    const auto degree = static_cast<std::size_t>(step.degree);
    std::array<Interval, 32> at;  // powers of tau around s.lo()
    SALTUS_ASSERT(degree < at.size());
    for (std::size_t k = 0; k <= degree; ++k) at[k] = step.coefficient(static_cast<int>(k), i);
    for (std::size_t k = 0; k < degree; ++k) {
      for (std::size_t j = degree; j-- > k;) at[j] += Interval(s.lo()) * at[j + 1];
    }
    const Interval width = Interval(s.hi()) - Interval(s.lo());
    std::array<Interval, 32> storage;
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = Interval(0.0);
      if (j > degree) continue;
      const std::span<Interval> part(storage.data(), degree - j + 1);
      Interval power(1.0);
      double binomial = 1.0;  // C(k, j)
      for (std::size_t k = j; k <= degree; ++k) {
        part[k - j] = Interval(binomial) * at[k] * power;
        power = power * width;
        binomial = binomial * static_cast<double>(k + 1) / static_cast<double>(k + 1 - j);
      }
      if (s.is_point()) {
        out[j] = part[0];
      } else {
        bernstein::power_to_bernstein<Interval>(part, part);
        out[j] = bernstein::range<Interval>(part);
      }
    }
  }

  static void time(const StepPolynomial& step, const Interval& s, std::span<Interval> out) {
    const Interval h = Interval(step.t_right) - Interval(step.t_left);
    std::fill(out.begin(), out.end(), Interval(0.0));
    out[0] = Interval(step.t_left) + s * h;
    if (out.size() > 1) out[1] = h;
  }
};

/// Arguments of the programs: time, states. The graph must live as long. Every relation is decided where it is met (unlocked).
class ExpressionSwitching final : public SwitchingFunctions, public StepEnclosure {
 public:
  ExpressionSwitching(const Graph& graph, std::uint32_t n_states,
                      const std::vector<Expr>& functions)
      : graph_(graph), n_(n_states), infos_(functions.size()) {
    segments_ = {{{InputKind::time, 0, 1, 0}}, {{InputKind::state, 0, n_states, 0}}};
    std::vector<NodeId> nodes;
    for (std::size_t k = 0; k < functions.size(); ++k) {
      infos_[k].name = "g" + std::to_string(k);
      nodes.push_back(functions[k].id());
    }
    nodes_ = nodes;
    singles_.resize(nodes.size());
    plain_.resize(nodes.size());
    program_ = compiled(graph, nodes);
    all_ = std::make_unique<Evaluator<double>>(program_);
    boxes_ = std::make_unique<Evaluator<Interval>>(program_);
    series_.resize(functions.size());
  }

  std::uint32_t count() const override { return static_cast<std::uint32_t>(infos_.size()); }
  const SwitchInfo& info(std::uint32_t which) const override { return infos_[which]; }
  void set_same(std::uint32_t which, std::uint32_t as) { infos_[which].same_as = as; }
  bool is_active(std::uint32_t) const override { return true; }
  Evaluation evaluate(double t, std::span<const double> x, std::span<const double>,
                      std::span<double> g) override {
    ++n_evaluations;
    run(*all_, t, x);
    std::copy(all_->outputs().begin(), all_->outputs().end(), g.begin());
    for (std::uint32_t k = 0; k < count(); ++k) {
      if (!std::isfinite(g[k])) return Evaluation::out_of_domain(k);
    }
    return Evaluation::ok();
  }
  Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                          std::span<const double>, double& g) override {
    ++n_single_evaluations;
    if (plain_[which] == nullptr)
      plain_[which] = std::make_unique<Evaluator<double>>(single(which));
    run(*plain_[which], t, x);
    g = plain_[which]->outputs()[0];
    return std::isfinite(g) ? Evaluation::ok() : Evaluation::out_of_domain(which);
  }
  Evaluation rates(double, std::span<const double>, std::span<const double>, std::span<double>,
                   std::span<double>) override {
    return Evaluation::failed(0);
  }
  const CscPattern& gradient_pattern() const override { return pattern_; }
  Evaluation gradients(double, std::span<const double>, std::span<const double>,
                       std::span<double>) override {
    return Evaluation::failed(0);
  }
  double next_time(double, double t_end) override { return t_end; }
  bool is_timed(std::uint32_t) const override { return false; }
  bool is_due(std::uint32_t, double) override { return false; }

  void hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) override {
    ++n_hulls;
    StepBoxes::time(step, s, boxes_->input(0));
    for (std::uint32_t i = 0; i < n_; ++i) {
      StepBoxes::taylor(step, i, s, boxes_->input(1).subspan(i, 1));
    }
    boxes_->run();
    std::copy(boxes_->outputs().begin(), boxes_->outputs().end(), g.begin());
  }

  bool series(std::uint32_t which, const StepPolynomial& step, Interval s, int order,
              std::span<Interval> coefficients) override {
    ++n_series;
    auto& e = series_[which][order];
    if (e == nullptr) e = std::make_unique<TaylorEvaluator<Interval>>(single(which), order);
    StepBoxes::time(step, s, e->input(0, 0));
    for (std::uint32_t i = 0; i < n_; ++i) StepBoxes::taylor(step, i, s, e->input(1, i));
    e->run();
    std::copy(e->output(0).begin(), e->output(0).end(), coefficients.begin());
    return e->all_decided() && coefficients[0].is_bounded();
  }

  /// The program of one function, compiled when first asked for.
  std::shared_ptr<const Program> single(std::uint32_t which) {
    if (singles_[which] == nullptr) singles_[which] = compiled(graph_, {nodes_[which]});
    return singles_[which];
  }

  std::uint64_t n_evaluations = 0;
  std::uint64_t n_single_evaluations = 0;
  std::uint64_t n_hulls = 0;
  std::uint64_t n_series = 0;

 private:
  std::shared_ptr<const Program> compiled(const Graph& graph, const std::vector<NodeId>& nodes) {
    return compile(graph, outputs_in_order(graph, nodes), segments_,
                   {.locking = Locking::unlocked});
  }
  static void run(Evaluator<double>& e, double t, std::span<const double> x) {
    e.input(0)[0] = t;
    std::copy(x.begin(), x.end(), e.input(1).begin());
    e.run();
  }

  const Graph& graph_;
  std::uint32_t n_;
  std::vector<NodeId> nodes_;
  std::vector<SwitchInfo> infos_;
  std::vector<InputSegment> segments_;
  std::shared_ptr<const Program> program_;
  std::vector<std::shared_ptr<const Program>> singles_;
  std::unique_ptr<Evaluator<double>> all_;
  std::vector<std::unique_ptr<Evaluator<double>>> plain_;
  std::unique_ptr<Evaluator<Interval>> boxes_;
  std::vector<std::map<int, std::unique_ptr<TaylorEvaluator<Interval>>>> series_;
  CscPattern pattern_;
};

/// A step that owns its coefficients: rows of powers of s, one per unknown.
struct OwnedStep {
  OwnedStep(double t_left, double t_right, const std::vector<std::vector<double>>& unknowns) {
    std::size_t length = 1;
    for (const auto& x : unknowns) length = std::max(length, x.size());
    coefficients.assign(length * unknowns.size(), 0.0);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      for (std::size_t k = 0; k < unknowns[i].size(); ++k) {
        coefficients[k * unknowns.size() + i] = unknowns[i][k];
      }
    }
    t0 = t_left;
    t1 = t_right;
    n = static_cast<std::uint32_t>(unknowns.size());
    degree = static_cast<int>(length) - 1;
  }
  StepPolynomial step() const { return {t0, t1, degree, n, coefficients}; }

  double t0 = 0.0, t1 = 1.0;
  std::uint32_t n = 0;
  int degree = 0;
  std::vector<double> coefficients;
};

}  // namespace saltus::test
