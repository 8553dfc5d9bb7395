// Item 1: evaluation time against hand-written code in the same process.
#include <memory>

#include "ground.hpp"
#include "support/evaluation.hpp"
#include "support/hand_written.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace engine_models;

constexpr double seconds_per_model = 1.5;

/// A model with its programs, ready to run.
struct Prepared {
  Built built;
  std::vector<Output> outputs;
  std::vector<std::uint8_t> locks;
  Point point;

  std::shared_ptr<const Program> residual(Tier tier) {
    return compile(built.graph, outputs, built.segments, {Locking::locked, tier});
  }
  std::shared_ptr<const Program> jacobian_values(Tier tier) {
    const Jacobian j = jacobian(built.graph, built.residual, built.y_columns);
    return compile(built.graph, j.entries, built.segments, {Locking::locked, tier});
  }
  /// An evaluator that reads the point where it lies.
  Evaluator<double> evaluator(std::shared_ptr<const Program> program) {
    Evaluator<double> e(std::move(program));
    e.bind(0, std::span(&point.t, 1));
    e.bind(1, point.p);
    e.bind(2, point.y);
    e.bind(3, point.yp);
    for (std::size_t s = 0; s < locks.size(); ++s) e.set_lock(static_cast<SwitchId>(s), locks[s]);
    return e;
  }
};

template <class M>
std::unique_ptr<Prepared> prepare(const M& m) {
  auto p = std::make_unique<Prepared>();
  build(m, p->built);
  p->point = point_of(m);
  p->outputs = outputs_in_order(p->built.graph, p->built.residual);
  p->locks =
      test::locks_at(p->built.graph, p->outputs, p->built.segments, test::arguments_of(p->point));
  return p;
}

struct Ratios {
  double residual;           // over hand-written
  double jacobian;           // over the engine's own residual
  double batch;              // one instance over eight at once, per instance
  double batch_vector_math;  // the same with vector functions
};

template <class M>
Ratios measure(const M& m, Tier tier) {
  auto p = prepare(m);
  std::vector<double> f(m.n);
  auto program = p->residual(tier);
  Evaluator<double> residual = p->evaluator(program);
  Evaluator<double> jacobian_values = p->evaluator(p->jacobian_values(tier));
  Evaluator<Batch> batch(program);
  VectorMathEvaluator vector_math(program);
  const auto arguments = test::arguments_of(p->point);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    for (std::size_t i = 0; i < arguments[k].size(); ++i) {
      batch.input(k)[i] = arguments[k][i];
      vector_math.input(k)[i] = arguments[k][i];
    }
  for (std::size_t s = 0; s < p->locks.size(); ++s) {
    batch.set_lock(static_cast<SwitchId>(s), p->locks[s]);
    vector_math.set_lock(static_cast<SwitchId>(s), p->locks[s]);
  }
  const std::vector<double> t = best_of_interleaved(
      {[&] { hand_written::residual(m, p->point, f.data()); }, [&] { residual.run(); },
       [&] { jacobian_values.run(); }, [&] { batch.run(); }, [&] { vector_math.run(); }},
      seconds_per_model);
  return {t[1] / t[0], t[2] / t[1], 8 * t[1] / t[3], 8 * t[1] / t[4]};
}

double rolled_residual_ratio() {
  const Diffusion m;
  auto p = prepare(m);
  std::vector<double> f(m.n);
  Evaluator<double> residual = p->evaluator(p->residual(Tier::rolled));
  const std::vector<double> t = best_of_interleaved(
      {[&] { hand_written::residual(m, p->point, f.data()); }, [&] { residual.run(); }},
      seconds_per_model);
  return t[1] / t[0];
}

}  // namespace

bool show_speed(int number) {
  Item item(number);
  const Ratios ladder = measure(Ladder{}, Tier::scalar);
  const Ratios friction = measure(Friction{}, Tier::scalar);
  item.at_most("bytecode/hand M2", ladder.residual, 3.5);
  item.at_most("M4", friction.residual, 4);
  item.at_most("rolled/hand M3", rolled_residual_ratio(), 4.5);
  item.at_most("Jacobian/residual M2", ladder.jacobian, 1.3);
  item.at_most("M4", friction.jacobian, 1.3);
  item.at_least("8 at once M2", ladder.batch, 1.7);
  item.at_least("M4", friction.batch, 1.7);
  if (VectorMathEvaluator::available()) {
    item.at_least("with vector functions M2", ladder.batch_vector_math, 4);
    item.at_least("M4", friction.batch_vector_math, 4);
  } else {
    item.note("no vector functions on this machine");
  }
  return item.print();
}

}  // namespace saltus::bench
