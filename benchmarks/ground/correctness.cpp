// Items 4, 5 and 6: correctness on random expressions, threads, and flipping one lock.
#include <cstring>

#include "ground.hpp"
#include "support/allocation_counter.hpp"
#include "support/expression_checks.hpp"
#include "support/measure.hpp"
#include "support/planted_errors.hpp"
#include "support/threaded_evaluation.hpp"

namespace saltus::bench {

namespace {

constexpr std::uint64_t seed = 7;

void must_be_clean(Item& item, const char* what, const test::CheckCounts& c) {
  item.holds(std::string(what) + " " + std::to_string(c.violations + c.not_finite) + " wrong of " +
                 std::to_string(c.cases),
             c.cases > 0 && c.violations == 0 && c.not_finite == 0);
  if (c.violations + c.not_finite > 0) std::printf("   %s\n", c.first.c_str());
}

void must_be_noticed(Item& item, const char* what, const test::CheckCounts& c) {
  item.holds(std::string(what) + " noticed " + std::to_string(c.violations) + " times",
             c.violations > 0);
}

}  // namespace

bool show_correctness(int number) {
  using namespace test;
  const long n = cases_from_environment(10000);
  Item item(number);
  must_be_clean(item, "derivatives", check_derivatives(n, seed));
  must_be_clean(item, "Taylor", check_taylor(n, seed));
  must_be_clean(item, "enclosures", check_enclosures(100 * n, seed));
  must_be_clean(item, "unreached branches and tiers", check_branches(n, seed));
  must_be_noticed(item, "planted rule", check_derivatives(n, seed, &wrong_elementary_rule));
  must_be_noticed(item, "planted rounding", check_enclosures(100 * n, seed, &enclose_one_sided));
  item.leaves_out(
      "families, which have a random test of their own; external functions; previous values");
  return item.print();
}

bool show_threads(int number) {
  Item item(number);
  const long different = test::count_thread_differences(engine_models::Ladder(), 8, 500) +
                         test::count_thread_differences(engine_models::Friction(), 8, 50) +
                         test::count_thread_differences(engine_models::Diffusion(20000), 8, 3);
  item.holds("8 threads, " + std::to_string(different) + " values differ from one thread",
             different == 0);
  return item.print();
}

/// Flips each of a thousand locks and runs. Counted: allocations, bytes of the lock vector that
/// change, and that the result is the one of a program compiled and locked afresh.
bool show_lock_flip(int number) {
  using namespace engine_models;
  const Friction m(1000);
  Built b;
  build(m, b);
  const std::vector<Output> outputs = outputs_in_order(b.graph, b.residual);
  const auto program = compile(b.graph, outputs, b.segments);
  const auto arguments = test::arguments_of(point_of(m));
  Evaluator<double> e(program);
  test::load(e, arguments);
  e.set_locks(std::vector<std::uint8_t>(program->n_switches(), lock_false));
  e.run();
  std::vector<std::uint8_t> before(e.locks().begin(), e.locks().end());

  long allocations = 0, bytes = 0, wrong = 0;
  std::vector<double> previous(e.outputs().begin(), e.outputs().end());
  for (SwitchId s = 0; s < program->n_switches(); ++s) {
    const long start = test::allocations();
    e.set_lock(s, lock_true);
    e.run();
    allocations += test::allocations() - start;
    long changed_outputs = 0;
    for (std::size_t i = 0; i < before.size(); ++i) bytes += before[i] != e.locks()[i] ? 1 : 0;
    for (std::size_t i = 0; i < previous.size(); ++i)
      changed_outputs += previous[i] != e.outputs()[i] ? 1 : 0;
    if (changed_outputs != 1) ++wrong;  // one oscillator's force, nobody else's
    before.assign(e.locks().begin(), e.locks().end());
    previous.assign(e.outputs().begin(), e.outputs().end());
  }
  Evaluator<double> fresh(compile(b.graph, outputs, b.segments));
  test::load(fresh, arguments);
  fresh.set_locks(e.locks());
  fresh.run();
  const bool same = std::memcmp(fresh.outputs().data(), e.outputs().data(),
                                e.outputs().size() * sizeof(double)) == 0;

  Item item(number);
  const auto n = static_cast<double>(program->n_switches());
  item.at_most("switches 1000: bytes written per flip", static_cast<double>(bytes) / n, 1);
  item.at_most("allocations in all", static_cast<double>(allocations), 0);
  item.at_most("equations touched wrongly", static_cast<double>(wrong), 0);
  item.holds("same program throughout, result equals a fresh one", same);
  return item.print();
}

}  // namespace saltus::bench
