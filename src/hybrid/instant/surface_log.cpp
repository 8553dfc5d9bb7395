// What is written down of an instant on surfaces.
#include <algorithm>

#include "hybrid/instant/surface_passage.hpp"

namespace saltus::detail {

namespace {

/// Two surfaces are the same if they begin with the same relation.
bool contains(std::span<const Surface> list, const Surface& surface) {
  return std::ranges::any_of(
      list, [&](const Surface& s) { return s.switches.front() == surface.switches.front(); });
}

std::span<const Surface> surfaces_of(const ModeRun& part) {
  if (!part.on_surfaces) return {};
  return part.on_surfaces->surfaces;
}

std::vector<std::string> names_of(const SwitchBoard& board, std::span<const Surface> surfaces) {
  std::vector<std::string> names;
  for (const Surface& s : surfaces) names.push_back(board.info(s.switches.front()).name);
  return names;
}

/// Exits of a slider that crossed.
std::vector<Event> exits_of(const ModeRun& slider, double t, std::span<const Crossing> crossings,
                            std::uint32_t n_relations) {
  std::vector<Event> exits;
  for (const Crossing& c : crossings) {
    if (c.which < n_relations) continue;
    const ModeRun::Exit exit = slider.exit_of(c.which);
    Event event;
    event.kind = EventKind::exit_sliding;
    event.t = t;
    event.name = slider.on_surfaces->names[exit.surface];
    event.direction = exit.side;
    event.guarantee = c.guarantee;
    event.time_width = c.time_width;
    exits.push_back(std::move(event));
  }
  return exits;
}

/// Unless it is written down already.
void add_consequence(JournalEntry& entry, EventKind kind, double t, const std::string& name,
                     std::uint32_t n_micro_steps) {
  for (const Event& e : entry.events) {
    if (e.kind == kind && e.name == name) return;
  }
  Event event;
  event.kind = kind;
  event.t = t;
  event.name = name;
  event.micro_step = entry.events.empty() ? 0 : std::max(1U, n_micro_steps);
  if (!entry.events.empty()) event.cause = entry.events.front().name;
  entry.events.push_back(std::move(event));
}

}  // namespace

Result<void> SurfacePassage::log(const SurfaceInstant& at, const ModeRun& next,
                                 const SurfaceWay& way) {
  const ModeRun& mode = *at.mode;
  const SwitchBoard& board = mode.kit->board;
  const double t = at.point.t;
  const auto before = surfaces_of(*here_), after = surfaces_of(next);
  std::vector<Crossing> of_mode = at.crossings;
  std::erase_if(of_mode, [&](const Crossing& c) { return c.which >= board.count(); });
  InstantResult told = at.result;
  std::erase_if(told.flips,
                [&](const LockFlip& f) { return is_on(before, f.which) || is_on(after, f.which); });
  const std::size_t n = mode.system->size();
  told.start.x.assign(next.start.x.begin(), next.start.x.begin() + static_cast<std::ptrdiff_t>(n));
  const auto x_minus = std::span<const double>(at.point.x).first(n);
  JournalEntry entry =
      journal_entry(board, *mode.system, mode.engine_options, mode.name, t, x_minus, of_mode, told);
  EventInstant& instant = entry.instant;
  // Onto the surface by less than the error of a step: no jump.
  std::erase_if(instant.jumps, [](const Jump& j) {
    return j.cause == JumpCause::consistency && j.in_tolerances < 1.0;
  });
  instant.restarted = true;
  instant.sliding_before = names_of(board, before);
  instant.sliding_after = names_of(board, after);
  instant.surface_candidates = way.records;
  for (std::size_t i = 0; i < of_mode.size(); ++i) {
    if (is_on(after, of_mode[i].which) && !is_on(before, of_mode[i].which))
      entry.events[i].kind = EventKind::enter_sliding;
  }
  const std::vector<Event> exits = exits_of(*here_, t, at.crossings, board.count());
  entry.events.insert(entry.events.begin(), exits.begin(), exits.end());
  for (const Surface& s : before) {
    if (!contains(after, s))
      add_consequence(entry, EventKind::exit_sliding, t, board.info(s.switches.front()).name,
                      at.result.n_micro_steps);
  }
  for (const Surface& s : after) {
    if (!contains(before, s))
      add_consequence(entry, EventKind::enter_sliding, t, board.info(s.switches.front()).name,
                      at.result.n_micro_steps);
  }
  if (entry.events.empty() && instant.locks.empty() && instant.jumps.empty()) return {};
  return parts_.left.log(std::move(entry), t, next, next.start);
}

}  // namespace saltus::detail
