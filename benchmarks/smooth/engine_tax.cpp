// Items 1 and 2: what the interface of an engine costs over the library behind it.
#include <cmath>

#include <saltus/integrate/engine.hpp>

#include "ida_by_hand.hpp"
#include "smooth.hpp"
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

bool show_tax(int number, const HandModel& model, const std::shared_ptr<const System>& compiled,
              double compiled_bound) {
  Item item(number);
  IdaByHand hand(model, newton_coefficient);
  IdaByHand by_default(model, 0.33);
  EngineRun plain(hand_written_system(model), model);
  EngineRun model_run(compiled, model);
  const auto n_hand = static_cast<double>(hand.run());
  const bool all_ran = n_hand > 0 && by_default.run() > 0 && plain.run() && model_run.run();
  item.holds("n = " + std::to_string(model.y0.size()) + ", " +
                 std::to_string(static_cast<long>(n_hand)) + " steps by hand",
             all_ran);
  if (!all_ran) return item.print();
  item.at_most("steps off by", 100 * std::abs(plain.n_steps() / n_hand - 1), 2, " %");
  item.at_most("compiled", 100 * std::abs(model_run.n_steps() / n_hand - 1), 2, " %");
  const std::vector<double> seconds =
      best_of_interleaved({[&] { (void)hand.run(); }, [&] { (void)plain.run(); },
                           [&] { (void)model_run.run(); }, [&] { (void)by_default.run(); }},
                          6.0);
  item.at_most("time, same functions", seconds[1] / seconds[0], 1.1);
  item.at_most("compiled model", seconds[2] / seconds[0], compiled_bound);
  char text[96];
  std::snprintf(text, sizeof text, "by hand %.3g ms, with IDA's own Newton tolerance %.3g ms",
                1e3 * seconds[0], 1e3 * seconds[3]);
  item.note(text);
  return item.print();
}

}  // namespace

bool show_ida_large(int number) {
  const HandModel model = brusselator();
  return show_tax(number, model, compiled_brusselator(), 1.3);
}

bool show_ida_small(int number) {
  const HandModel model = robertson();
  return show_tax(number, model, compiled_robertson(), 2.5);
}

}  // namespace saltus::bench
