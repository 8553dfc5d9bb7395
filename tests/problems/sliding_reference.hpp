// Reads the events of a problem that slides from tests/reference: what is a number there is text, in full
// length. SALTUS_REFERENCE_DIR names the folder.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "accuracy/reference_files.hpp"
#include "problems/sliding_problem.hpp"

namespace saltus::problems {

/// +1, -1 or 0 (on the surface): where a stretch lies beside the surface of the event next to it.
using SideOfMode = std::function<int(const std::string& mode, const std::string& guard)>;

/// '+', '-' and 'S', or 1, 2 and 3.
inline int side_of_plain_mode(const std::string& mode, const std::string&) {
  return mode == "+" || mode == "1" ? 1 : mode == "-" || mode == "2" ? -1 : 0;
}

namespace reference_detail {

/// The text after "key": within [from, to); empty if there is none.
inline std::string text_of(const std::string& all, const std::string& key, std::size_t from,
                           std::size_t to) {
  const std::string quoted = "\"" + key + "\": \"";
  const std::size_t at = all.find(quoted, from);
  if (at >= to) return {};
  const std::size_t begin = at + quoted.size();
  return all.substr(begin, all.find('"', begin) - begin);
}

inline EventKind kind_of(const std::string& text) {
  if (text == "enter_sliding") return EventKind::enter_sliding;
  if (text == "exit_sliding") return EventKind::exit_sliding;
  if (text == "crossing") return EventKind::state;
  throw std::runtime_error("a reference has an event of kind '" + text + "'");
}

}  // namespace reference_detail

/// Fills events, modes, final values and the number of surfaces it begins on. `surfaces`: what relation
/// a guard of the file stands for; a single one stands for all.
inline void read_reference(SlidingProblem& p, const std::vector<Named<std::string>>& surfaces,
                           const SideOfMode& side = side_of_plain_mode) {
  using namespace reference_detail;
  const std::string all = test::reference_text(p.file);
  if (all.empty()) throw std::runtime_error("no reference " + p.file);
  const std::size_t end = all.find("\"final_mode\"");
  std::size_t at = all.find("\"events\"");
  while ((at = all.find("\"t\": \"", at)) < end) {
    const std::size_t next = std::min(all.find("\"t\": \"", at + 1), end);
    const std::string guard = text_of(all, "guard", at, next);
    const std::string before = text_of(all, "mode_before", at, next),
                      after = text_of(all, "mode_after", at, next);
    SlidingEvent e;
    e.t = std::strtod(text_of(all, "t", at, next).c_str(), nullptr);
    e.kind = kind_of(text_of(all, "kind", at, next));
    for (const auto& [key, relation] : surfaces) {
      if (surfaces.size() == 1 || key == guard) e.surface = relation;
    }
    const int change = side(after, guard) - side(before, guard);
    e.direction = change > 0 ? 1 : -1;
    const auto states = test::arrays_of_numbers(all.substr(at, next - at), "state");
    if (!states.empty() && states[0].size() == p.states.size()) e.state = states[0];
    if (p.modes.empty()) p.modes.push_back(before);
    p.modes.push_back(after);
    p.events.push_back(std::move(e));
    at = next;
  }
  const auto last = test::arrays_of_numbers(all, "final_state");
  for (std::size_t i = 0; i < p.states.size(); ++i)
    p.final_values.push_back({p.states[i], last.at(0).at(i)});
}

}  // namespace saltus::problems
