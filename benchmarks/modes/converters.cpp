// Item 1: a boost converter as four modes, without any hand-made reinitialisation.
#include <cmath>

#include "modes/mode_runs.hpp"
#include "modes/modes.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

/// The impulse of a variable in a candidate that was rejected at the k-th instant; 0 if it is not recorded.
double rejected_impulse(const Solution& s, double t, const std::string& mode,
                        const std::string& variable) {
  for (const EventInstant& instant : s.instants()) {
    if (std::abs(instant.t - t) > 1e-9) continue;
    for (const CandidateRecord& c : instant.candidates) {
      if (c.mode != mode || c.taken || c.verdict.empty()) continue;
      for (const ImpulseRecord& i : c.impulses) {
        if (i.variable == variable && i.order == 0) return i.strength;
      }
    }
  }
  return 0.0;
}

void show_rejections(Item& item, BoostAutomaton automaton, const std::string& who) {
  constexpr double tolerance = 1e-8;
  const Solution s = run_modes(boost_converter(automaton), EngineKind::radau, tolerance);
  const double closing = rejected_impulse(s, 0.1, "4", "iD");
  const double opening = rejected_impulse(s, 0.16, "3", "vD");
  // C vC and L iL of the reference at these instants.
  const double closing_true = -0.01 * 24.53280364784116432279314;
  const double opening_true = 15.67111534938769203297270;
  const bool right = std::abs(closing - closing_true) <= 300 * tolerance &&
                     std::abs(opening - opening_true) <= 300 * tolerance * opening_true;
  char text[160];
  std::snprintf(text, sizeof text, "%s: rejected by %.4f As and %.3f Vs", who.c_str(), closing,
                opening);
  item.holds(text, right);
  // No candidate that was taken has an impulse, and nothing with a history jumps.
  bool clean = s.ok();
  for (const EventInstant& i : s.instants()) {
    clean = clean && i.impulses.empty();
    for (const Jump& j : i.jumps) clean = clean && j.variable != "iL" && j.variable != "vC";
  }
  if (!clean) item.holds("iL or vC jumps", false);
}

void show_values(Item& item) {
  const ModelAnalysis analysis = analyze(write_model(boost_converter()));
  bool right = analysis.modes.size() == 4;
  std::string text;
  for (const ModeAnalysis& mode : analysis.modes) {
    const bool low = mode.mode == "1" || mode.mode == "2";
    const std::string values = mode.values ? to_text(*mode.values) : "unknown";
    right = right && values == (low ? "(0, 2, 5, 0, 0)" : "(1, 1, 6, 0, 0)");
    text += (text.empty() ? "" : ", ") + mode.mode + " " + values;
  }
  item.holds("modes " + text, right);
  // What a run says of those whose index it had to know.
  const Solution s = run_modes(boost_converter(), EngineKind::radau, 1e-6);
  bool same = s.report.modes.size() == 4;
  for (const ModeVisit& visit : s.report.modes) {
    if (!visit.values.empty()) same = same && visit.values == "(1, 1, 6, 0, 0)";
  }
  if (!same) item.holds("the run says something else", false);
}

/// Nearest consistent values conserve nothing, and know no impulses that would reject a candidate: the
/// capacitor is discharged where the switch closes.
void show_control(Item& item) {
  const ModeProblem p = boost_converter();
  const double v = 24.53280364784116432279314;  // of the reference at the first closing
  const Solution s = run_modes(p, EngineKind::radau, 1e-6, RestartPolicy::least_squares);
  const ModeComparison c = compare_modes(s.event_log, p);
  double after = v;
  for (const EventInstant& i : s.instants()) {
    if (i.mode_before != i.mode_after) {
      after = i.x_plus[s.trajectory.index_of("vC")];
      break;
    }
  }
  char text[256];
  std::snprintf(
      text, sizeof text,
      "control, least squares: %zu of %zu changes right, vC after the first %.3g instead of %.3g",
      c.n_alike, c.n_expected, after, v);
  item.holds(text, !c.complete && std::abs(after - v) > 0.1 * v);
}

}  // namespace

bool show_converters(int number) {
  Item item(number);
  ModeRuns all;
  const std::pair<BoostAutomaton, const char*> variants[] = {
      {BoostAutomaton::wrong_first, "wrong first"},
      {BoostAutomaton::right_first, "right first"},
      {BoostAutomaton::printed, "as printed"}};
  for (const auto& [automaton, text] : variants) {
    judge_problem(all, boost_converter(automaton), std::string("12 switches, ") + text);
    judge_problem(all, boost_converter_dcm(automaton), std::string("17 switches, ") + text);
  }
  add_to_item(item, all);
  show_rejections(item, BoostAutomaton::wrong_first, "candidates");
  show_rejections(item, BoostAutomaton::printed, "printed automaton");
  show_values(item);
  show_control(item);
  return item.print();
}

}  // namespace saltus::bench
