// Item 3: which unknowns change class is recognised before a run, and what may jump is what jumps.
#include "modes/modes.hpp"
#include "problems/class_change_runs.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

std::string in_braces(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
  return "{" + text + "}";
}

}  // namespace

bool show_class_changes(int number) {
  Item item(number);
  std::set<int> recognised;
  int n_models = 0, n_wrong = 0, n_predicted = 0, n_runs = 0, n_failed = 0, n_jumps = 0;
  for (const ClassChange& c : class_changes()) {
    ++n_models;
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
      const ClassChangeRun r = run_class_change(c, engine, 1e-8);
      ++n_runs;
      if (r.number == c.number) recognised.insert(c.number);
      n_wrong += r.number != c.number;
      n_failed += !r.ran;
      n_predicted += r.ran && r.prediction_right();
      n_jumps += static_cast<int>(r.jumps.size());
      if (r.ran && r.prediction_right()) continue;
      std::printf("   case %d (%s): predicted %s impulsive %s, found %s impulsive %s %s\n",
                  c.number, c.what.c_str(), in_braces(r.may_jump).c_str(),
                  in_braces(r.may_be_impulsive).c_str(), in_braces(r.jumps).c_str(),
                  in_braces(r.impulsive).c_str(), r.message.c_str());
    }
  }
  // With unknowns that occur and are not determined: nothing unique to be compared with.
  std::set<int> open;
  for (const ClassChange& c : open_class_changes()) {
    const ClassChangeRun r = run_class_change(c, EngineKind::radau, 1e-8);
    if (r.number == c.number) open.insert(c.number);
    n_wrong += r.number != c.number;
    ++n_models;
  }
  int n_of_table = 0;
  for (const int k : recognised) n_of_table += k >= 1 && k <= 12;
  item.holds(std::to_string(n_of_table) + " of the 12 cases recognised in " +
                 std::to_string(n_models) + " models, " + std::to_string(n_wrong) + " mistaken",
             n_of_table == 12 && n_wrong == 0);
  item.holds(std::to_string(n_predicted) + " of " + std::to_string(n_runs) +
                 " runs jump where predicted and nowhere else (" + std::to_string(n_jumps) +
                 " jumps), " + std::to_string(n_failed) + " fail",
             n_predicted == n_runs && n_jumps > 0);
  return item.print();
}

}  // namespace saltus::bench
