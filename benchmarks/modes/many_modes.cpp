// Item 7: of many modes only those that are visited are analysed and compiled.
#include "problems/many_modes.hpp"

#include "modes/mode_oracle.hpp"
#include "modes/modes.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

/// Modes that can be reached over transitions from the first one.
std::size_t n_reachable(const ConfigurationSource& source) {
  std::set<std::uint32_t> seen = {source.initial().mode};
  std::vector<std::uint32_t> open(seen.begin(), seen.end());
  while (!open.empty()) {
    const std::uint32_t from = open.back();
    open.pop_back();
    for (const TransitionInfo& t : source.transitions()) {
      if (t.from != from) continue;
      for (const std::uint32_t to : t.candidates) {
        if (seen.insert(to).second) open.push_back(to);
      }
    }
  }
  return seen.size();
}

}  // namespace

bool show_many_modes(int number) {
  Item item(number);
  constexpr std::uint32_t n_modes = 1000, n_visited = 20;
  Model m("many modes");
  problems::write_many_modes(m, n_modes);
  const auto source = std::make_shared<problems::CountingSource>(compile_model(m.build()));
  const std::size_t reachable = n_reachable(*source);
  source->asked.clear();
  Run run("many modes", source, mode_run_options(0.0, n_visited - 0.5, EngineKind::radau, 1e-6));
  while (run.advance()) {
  }
  const RunReport& report = run.report();
  std::uint64_t n_stays = 0, n_analyses = 0, n_reductions = 0;
  for (const ModeVisit& v : report.modes) {
    n_stays += v.n_stays;
    n_analyses += v.n_analyses;
    n_reductions += v.n_reductions;
  }
  item.holds(std::to_string(reachable) + " modes reachable, " + std::to_string(n_stays) +
                 " stays in " + std::to_string(report.modes.size()),
             report.ok() && reachable == n_modes && n_stays == n_visited &&
                 report.modes.size() == n_visited);
  item.holds(std::to_string(n_analyses) + " analyses, " + std::to_string(n_reductions) +
                 " reductions, " + std::to_string(source->asked.size()) + " systems asked for",
             n_analyses + n_reductions >= n_visited && n_analyses <= n_visited &&
                 n_reductions <= n_visited && source->asked.size() == n_visited);
  if (!report.ok()) item.note(report.message);
  return item.print();
}

}  // namespace saltus::bench
