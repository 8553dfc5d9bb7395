#include "hybrid/books/opening.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/switch/event_journal.hpp"

namespace saltus::detail {

namespace {

/// The equations may contradict stated values: then some of these move.
void warn_of_moved_start(Ledger& ledger, const ModeRun& here, const RunOptions& options,
                         const StartValues& stated) {
  constexpr double noticeable = 1e-3;
  if (options.start == StartPolicy::least_squares) return;  // asked for
  const auto used = here.pairing->original(*here.system, *here.workspace, options.t_begin,
                                           here.start.x, here.start.xdot);
  std::vector<std::string> moved;
  for (std::uint32_t i = 0; i < stated.x.size(); ++i) {
    const double size = std::max(std::abs(stated.x[i]), here.original->nominal(i));
    if (!stated.x_given[i] || std::abs(used.x[i] - stated.x[i]) <= noticeable * size) continue;
    moved.push_back("'" + here.original->unknown_name(i) + "' from " + to_text(stated.x[i]) +
                    " to " + to_text(used.x[i]));
  }
  if (moved.empty()) return;
  ledger.warn(
      "at t = " + to_text(options.t_begin) +
      " the equations contradict the stated start values, so the run starts nearby: it moves " +
      join(moved, ", ") + "; state values that the equations allow, or leave some as guesses");
}

}  // namespace

void report_start(Ledger& ledger, const ModeRun& here, const RunOptions& options, bool is_only_mode,
                  const std::optional<Restart>& jump, const StartValues& stated) {
  // Rounding is no change.
  constexpr double rounding = 1e-12;
  const std::string at = "at t = " + to_text(options.t_begin);
  for (const StartChange& c : here.start.changes) {
    if (std::abs(c.used - c.given) <= rounding * here.system->nominal(c.unknown)) continue;
    ledger.note(
        {"start value of " + c.name, to_text(c.given), to_text(c.used), "consistency " + at});
    ledger.inform("start", "'" + c.name + "' starts at " + to_text(c.used) + ", not " +
                               to_text(c.given) + ": the equations determine its value");
  }
  if (!jump) return warn_of_moved_start(ledger, here, options, stated);
  std::vector<std::string> changed, impulses;
  const auto carries = here.original->carries_derivative();
  for (std::uint32_t i = 0; i < stated.x.size(); ++i) {
    if (!carries[i] || !stated.x_given[i] ||
        std::abs(jump->x[i] - stated.x[i]) <= rounding * here.original->nominal(i))
      continue;
    const std::string who = here.original->unknown_name(i);
    ledger.note(
        {"start value of " + who, to_text(stated.x[i]), to_text(jump->x[i]), "impulses " + at});
    changed.push_back("'" + who + "' from " + to_text(stated.x[i]) + " to " + to_text(jump->x[i]));
  }
  for (const ImpulseRecord& i : impulse_records(*here.original, jump->impulses))
    impulses.push_back(i.variable + " " + to_text(i.strength) + impulse_unit(i));
  if (changed.empty() && impulses.empty()) return;
  ledger.warn(at + (is_only_mode ? " the equations do" : " mode '" + here.name + "' does") +
              " not allow the start values: " +
              (impulses.empty() ? "they" : "impulses (" + join(impulses, ", ") + ")") + " change " +
              join(changed, ", ") +
              (is_only_mode ? ", as if they had held until then"
                            : ", as if it had been entered with them"));
}

void report_missing_starts(Ledger& ledger, const ModeRun& here, const StartValues& start) {
  const auto differential = here.system->carries_derivative();
  std::vector<std::string> names;
  std::size_t n = 0;
  for (std::uint32_t i = 0; i < here.system->size(); ++i) {
    if (!differential[i] || start.x_given[i]) continue;
    constexpr std::size_t most = 5;
    if (n++ < most) names.push_back(here.system->unknown_name(i) + " = " + to_text(start.x[i]));
  }
  if (n == 0) return;
  if (n > names.size()) names.push_back("and " + std::to_string(n - names.size()) + " more");
  ledger.note({"start values", "not given", join(names, ", "), "guesses, or zero"});
}

void check_names(const RunOptions& options, const SwitchBoard& board, bool is_only_mode) {
  if (!is_only_mode) return;  // other modes may have them
  std::vector<std::string> relations, actions;
  for (std::uint32_t w = 0; w < board.count(); ++w) relations.push_back(board.info(w).name);
  for (std::uint32_t a = 0; board.actions() != nullptr && a < board.actions()->count(); ++a)
    actions.push_back(board.actions()->info(a).name);
  const auto check = [](const std::string& name, const std::vector<std::string>& known,
                        const char* what, const char* field = "events.accumulation") {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const auto near = nearest_name(name, known);
    constexpr std::size_t most_listed = 6;
    std::string hint = near ? ", did you mean " + quote(*near) + "?" : ", which has none";
    for (std::size_t i = 0; !near && i < std::min(known.size(), most_listed); ++i)
      hint = (i == 0 ? ", which has " : hint + ", ") + quote(known[i]);
    if (!near && known.size() > most_listed) hint += ", …";
    throw OptionError(field, quote(name) + " is not a " + what + " of the model" + hint);
  };
  for (const Named<std::string>& entry : options.events.accumulation) {
    check(entry.name, relations, "relation");
    check(entry.value, actions, "when-clause");
  }
  for (const Named<SurfacePolicy>& entry : options.events.surface_of)
    check(entry.name, relations, "relation", "events.surface_of");
}

void report_triggers_at_start(Ledger& ledger, const SwitchBoard& board, double t,
                              std::span<const std::uint8_t> holds) {
  for (std::uint32_t trigger = 0; trigger < holds.size(); ++trigger) {
    const ActionInfo& info = board.actions()->info(board.actions()->action_of(trigger));
    if (!holds[trigger] || info.kind != ActionKind::assignments || !info.lacks.empty()) continue;
    ledger.note({"when-clause " + quote(info.name), "", "not carried out",
                 quote(board.actions()->trigger_text(trigger)) +
                     " holds from the start, at t = " + to_text(t)});
  }
}

}  // namespace saltus::detail
