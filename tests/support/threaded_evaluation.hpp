// One frozen model evaluated by many threads at once.
#pragma once

#include <atomic>
#include <thread>

#include "support/evaluation.hpp"

namespace saltus::test {

/// Runs residual and Jacobian of a model on `n_threads` threads, each with evaluators of its own and
/// a different point, and counts values that differ from those of a single thread.
template <class M>
long count_thread_differences(const M& m, int n_threads, int n_runs) {
  engine_models::Built b;
  build(m, b);
  const Jacobian j = jacobian(b.graph, b.residual, b.y_columns);
  const std::vector<Output> rows = outputs_in_order(b.graph, b.residual);
  const std::shared_ptr<const Graph> frozen = std::move(b.graph).freeze();
  const auto residual = compile(*frozen, rows, b.segments, {.locking = Locking::unlocked});
  const auto values = compile(*frozen, j.entries, b.segments);

  auto one_thread = [&](int number) {
    std::vector<double> all;
    engine_models::Point x = point_of(m);
    Evaluator<double> f(residual);
    Evaluator<double> jac(values);
    for (int run = 0; run < n_runs; ++run) {
      x.y[static_cast<std::size_t>(run) % m.n] += 0.01 * (number + 1);
      load(f, arguments_of(x));
      load(jac, arguments_of(x));
      f.run();
      jac.set_locks(f.locks());
      jac.run();
      all.insert(all.end(), f.outputs().begin(), f.outputs().end());
      all.insert(all.end(), jac.outputs().begin(), jac.outputs().end());
    }
    return all;
  };

  std::vector<std::vector<double>> alone;
  for (int k = 0; k < n_threads; ++k) alone.push_back(one_thread(k));
  std::atomic<long> differences{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < n_threads; ++k)
    threads.emplace_back([&, k] {
      // Compiling from the shared graph is reading it, too.
      const auto again = compile(*frozen, rows, b.segments, {.locking = Locking::unlocked});
      if (again->n_outputs() != m.n) ++differences;
      const std::vector<double> found = one_thread(k);
      for (std::size_t i = 0; i < found.size(); ++i)
        if (!(found[i] == alone[static_cast<std::size_t>(k)][i])) ++differences;
    });
  for (std::thread& t : threads) t.join();
  return differences;
}

}  // namespace saltus::test
