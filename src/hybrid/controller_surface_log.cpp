// What is written down of an instant on surfaces.
#include <algorithm>

#include "hybrid/controller.hpp"

namespace saltus {

namespace {

/// Two surfaces are the same if they begin with the same relation.
bool contains(std::span<const Surface> list, const Surface& surface) {
  return std::any_of(list.begin(), list.end(), [&](const Surface& s) {
    return s.switches.front() == surface.switches.front();
  });
}

}  // namespace

/// Surfaces of one mode let the solution go where another one is entered, and those of that one may hold it.
void Run::Controller::add_surfaces(detail::JournalEntry& entry,
                                   std::span<const detail::TakenTransition> path) const {
  EventInstant& instant = entry.instant;
  instant.sliding_before = left_.sliding();
  if (here_->on_surfaces) instant.sliding_after = here_->on_surfaces->names;
  bool any = false;
  const auto add = [&](EventKind kind, std::span<const std::string> names,
                       std::span<const std::string> others) {
    for (const std::string& name : names) {
      if (std::find(others.begin(), others.end(), name) != others.end()) continue;
      Event event;
      event.kind = kind;
      event.t = instant.t;
      event.name = name;
      event.micro_step = instant.n_micro_steps;
      event.cause = source_->transitions()[path.back().transition].name;
      entry.events.push_back(std::move(event));
      any = true;
    }
  };
  add(EventKind::exit_sliding, instant.sliding_before, instant.sliding_after);
  add(EventKind::enter_sliding, instant.sliding_after, instant.sliding_before);
  if (any) ++instant.n_micro_steps;
}

/// A mode of the model stands for motion on these surfaces.
void Run::Controller::add_replaced_slide(detail::JournalEntry& entry,
                                         const detail::SurfaceWay& way) {
  entry.instant.surface_candidates = way.records;
  const auto taken = std::find_if(entry.events.begin(), entry.events.end(),
                                  [](const Event& e) { return e.kind == EventKind::structural; });
  for (const SurfaceCandidateRecord& record : way.records) {
    for (const SurfaceMotion& motion : record.motions) {
      if (record.taken && !motion.truth && taken->cause.empty()) taken->cause = motion.relation;
    }
  }
}

Result<void> Run::Controller::log_surface_instant(const SurfaceInstant& at, detail::ModeRun& next,
                                                  const detail::SurfaceWay& way) {
  const detail::ModeRun& mode = *at.mode;
  const detail::EventPoint& point = at.point;
  const detail::InstantResult& result = at.result;
  const std::span<const detail::Crossing> crossings = at.crossings;
  const detail::SwitchBoard& board = mode.kit->board;
  const std::vector<Surface> none;
  const std::span<const Surface> kept_before =
      here_->on_surfaces ? std::span<const Surface>(here_->on_surfaces->surfaces) : none;
  const std::span<const Surface> kept_after =
      next.on_surfaces ? std::span<const Surface>(next.on_surfaces->surfaces) : none;
  const auto is_of = [&](std::span<const Surface> list, std::uint32_t w) {
    return std::any_of(list.begin(), list.end(), [&](const Surface& s) {
      return std::find(s.switches.begin(), s.switches.end(), w) != s.switches.end();
    });
  };
  std::vector<detail::Crossing> of_mode(crossings.begin(), crossings.end());
  std::erase_if(of_mode, [&](const detail::Crossing& c) { return c.which >= board.count(); });
  detail::InstantResult told = result;
  std::erase_if(told.flips, [&](const detail::LockFlip& f) {
    return is_of(kept_before, f.which) || is_of(kept_after, f.which);
  });
  told.start.x.assign(next.start.x.begin(),
                      next.start.x.begin() + static_cast<std::ptrdiff_t>(mode.system->size()));
  const std::span<const double> x_minus =
      std::span<const double>(point.x).first(mode.system->size());
  detail::JournalEntry entry = detail::journal_entry(board, *mode.system, mode.engine_options,
                                                     mode.name, point.t, x_minus, of_mode, told);
  EventInstant& instant = entry.instant;
  // Onto the surface by less than the error of a step: no jump.
  std::erase_if(instant.jumps, [](const Jump& j) {
    return j.cause == JumpCause::consistency && j.in_tolerances < 1.0;
  });
  instant.restarted = true;
  const auto names = [&](std::span<const Surface> list) {
    std::vector<std::string> found;
    for (const Surface& s : list) found.push_back(board.info(s.switches.front()).name);
    return found;
  };
  instant.sliding_before = names(kept_before);
  instant.sliding_after = names(kept_after);
  instant.surface_candidates = way.records;
  for (std::size_t i = 0; i < of_mode.size(); ++i) {
    if (is_of(kept_after, of_mode[i].which) && !is_of(kept_before, of_mode[i].which))
      entry.events[i].kind = EventKind::enter_sliding;
  }
  std::vector<Event> exits;
  for (const detail::Crossing& c : crossings) {
    if (c.which < board.count()) continue;
    const detail::ModeRun::Exit exit = here_->exit_of(c.which);
    Event event;
    event.kind = EventKind::exit_sliding;
    event.t = point.t;
    event.name = here_->on_surfaces->names[exit.surface];
    event.direction = exit.side;
    event.guarantee = c.guarantee;
    event.time_width = c.time_width;
    exits.push_back(std::move(event));
  }
  entry.events.insert(entry.events.begin(), exits.begin(), exits.end());
  const auto follows = [&](EventKind kind, const Surface& surface) {
    const std::string& name = board.info(surface.switches.front()).name;
    for (const Event& e : entry.events) {
      if (e.kind == kind && e.name == name) return;
    }
    Event event;
    event.kind = kind;
    event.t = point.t;
    event.name = name;
    event.micro_step = entry.events.empty() ? 0 : std::max(1U, result.n_micro_steps);
    if (!entry.events.empty()) event.cause = entry.events.front().name;
    entry.events.push_back(std::move(event));
  };
  for (const Surface& s : kept_before) {
    if (!contains(kept_after, s)) follows(EventKind::exit_sliding, s);
  }
  for (const Surface& s : kept_after) {
    if (!contains(kept_before, s)) follows(EventKind::enter_sliding, s);
  }
  if (entry.events.empty() && instant.locks.empty() && instant.jumps.empty()) return {};
  return left_.log(std::move(entry), point.t, next, next.start);
}

}  // namespace saltus
