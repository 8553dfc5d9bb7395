#include <saltus/ensemble/sweep_columns.hpp>

namespace saltus {

void each_columns(const SweepPlan& sweep, const SweepRows& rows, std::uint64_t n_runs,
                  const std::function<void(const SweepColumns&)>& block) {
  const std::size_t n_varied = sweep.design.names().size();
  SweepColumns now;
  now.columns.resize(n_varied + sweep.kept.columns().size());
  std::vector<double> values(n_varied);
  rows.each_block(n_runs, [&](const RunBlock& runs) {
    now.first_run = runs.first_run();
    now.states = runs.states();
    now.failures = runs.failures();
    for (auto& column : now.columns) column.assign(runs.n_runs(), absent);
    for (std::uint64_t r = 0; r < runs.n_runs(); ++r) {
      sweep.design.values(runs.first_run() + r, values);
      for (std::size_t i = 0; i < n_varied; ++i) now.columns[i][r] = values[i];
      const auto row = runs.row(runs.first_run() + r);
      for (std::size_t i = 0; i < row.size(); ++i) now.columns[n_varied + i][r] = row[i];
    }
    block(now);
  });
}

}  // namespace saltus
