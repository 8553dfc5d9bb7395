// Item 4: what the interface of an engine costs over the library behind it.
#include <algorithm>
#include <cmath>

#include <saltus/integrate/engine.hpp>

#include "ida_by_hand.hpp"
#include "smooth.hpp"
#include "explicit_tax.hpp"
#include "support/allocation_counter.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

// The one of the engine: with the same steps only the interface differs.
constexpr double newton_coefficient = 0.03;

/// An engine on a system, run from start to end again and again.
class EngineRun {
 public:
  EngineRun(std::shared_ptr<const System> system, const HandModel& model)
      : system_(std::move(system)), model_(model), workspace_(system_->workspace()) {
    EngineOptions options;
    options.rtol = model.rtol;
    options.atol = {model.atol};
    options.linear_solver = LinearSolverKind::sparse;  // KLU on both sides
    engine_ = make_engine(EngineKind::ida, *system_, *workspace_, options);
  }
  bool run() {
    const WorkCounts before = engine_->work();
    if (!engine_->start({0.0, model_.y0, model_.ydot0}, model_.t_end)) return false;
    while (engine_->t() != model_.t_end) {
      if (!engine_->step(model_.t_end)) return false;
    }
    n_steps_ = engine_->work().n_steps - before.n_steps;
    return true;
  }
  double n_steps() const { return static_cast<double>(n_steps_); }
  double end_value() const { return engine_->x()[0]; }

 private:
  std::shared_ptr<const System> system_;
  const HandModel& model_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Engine> engine_;
  std::uint64_t n_steps_ = 0;
};

void compare_with_hand(Item& item, const HandModel& model,
                       const std::shared_ptr<const System>& compiled, double compiled_bound) {
  IdaByHand as_packaged(model, newton_coefficient, false);
  IdaByHand hand(model, newton_coefficient, true);
  EngineRun plain(hand_written_system(model), model);
  EngineRun model_run(compiled, model);
  const auto n_hand = static_cast<double>(hand.run());
  const bool all_ran = n_hand > 0 && as_packaged.run() > 0 && plain.run() && model_run.run();
  item.holds("n = " + std::to_string(model.y0.size()) + ": " +
                 std::to_string(static_cast<long>(n_hand)) + " steps",
             all_ran);
  if (!all_ran) return;
  const double off =
      std::max(std::abs(plain.n_steps() / n_hand - 1), std::abs(model_run.n_steps() / n_hand - 1));
  item.at_most("off by", 100 * off, 2, " %");
  const std::vector<double> seconds =
      best_of_interleaved({[&] { (void)hand.run(); }, [&] { (void)plain.run(); },
                           [&] { (void)model_run.run(); }, [&] { (void)as_packaged.run(); }},
                          6.0);
  item.at_most("model/hand", seconds[2] / seconds[0], compiled_bound);
  char text[96];
  std::snprintf(text, sizeof text, "same functions/hand %.2f, hand as packaged/hand %.2f",
                seconds[1] / seconds[0], seconds[3] / seconds[0]);
  item.note(text);
}

/// Heap allocations per accepted step of an engine that has warmed up.
double allocations_per_step(EngineKind kind) {
  const HandModel model = robertson();
  const auto system = compiled_robertson();
  auto workspace = system->workspace();
  EngineOptions options;
  options.rtol = model.rtol;
  options.atol = {model.atol};
  const auto engine = make_engine(kind, *system, *workspace, options);
  const double t_end = 1e-2;  // non-stiff enough for explicit engines
  if (!engine->start({0.0, model.y0, model.ydot0}, t_end)) return 1e9;
  for (int i = 0; i < 3; ++i) {
    if (!engine->step(t_end)) return 1e9;
  }
  const long before = test::allocations();
  long n = 0;
  while (engine->t() != t_end) {
    if (!engine->step(t_end)) return 1e9;
    (void)engine->last_step();
    ++n;
  }
  return static_cast<double>(test::allocations() - before) / static_cast<double>(std::max(n, 1L));
}

}  // namespace

bool show_engine_tax(int number) {
  Item item(number);
  compare_with_hand(item, brusselator(), compiled_brusselator(), 1.3);
  compare_with_hand(item, robertson(), compiled_robertson(), 2.5);
  compare_with_arkode(item);
  double most = 0.0;
  for (const EngineKind kind :
       {EngineKind::ida, EngineKind::radau, EngineKind::dopri5, EngineKind::dop853}) {
    most = std::max(most, allocations_per_step(kind));
  }
  item.at_most("allocations per step", most, 0);
  return item.print();
}

}  // namespace saltus::bench
