// Actions of a raw system, carried out on the unknowns of an engine.
#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>

#include "reduce/system/forwarded_switching.hpp"

namespace saltus::detail {

namespace {

/// Columns of the rows that have two.
std::vector<EqualUnknowns> pairs_by_row(const CscPattern& p, std::uint32_t n_rows) {
  constexpr std::uint32_t open = RawPoint::none;
  std::vector<EqualUnknowns> pairs(n_rows, {open, open});
  std::vector<std::uint32_t> n_entries(n_rows, 0);
  for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(p.n_cols); ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      const auto row = static_cast<std::uint32_t>(p.row[s]);
      if (row >= n_rows) continue;
      (n_entries[row] == 0 ? pairs[row].first : pairs[row].second) = j;
      ++n_entries[row];
    }
  }
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    if (n_entries[row] != 2) pairs[row] = {open, open};
  }
  return pairs;
}

}  // namespace

/// Such a row is zero wherever both are the same number, and nowhere else.
std::vector<EqualUnknowns> equal_unknowns(const System& raw, Workspace& workspace,
                                          std::uint32_t n_equation_rows) {
  const std::vector<EqualUnknowns> pairs = pairs_by_row(raw.pattern(), n_equation_rows);
  std::vector<std::uint8_t> fits(n_equation_rows, 1);
  std::vector<double> x(raw.size()), f(raw.n_equations());
  const std::vector<double> xdot(raw.size(), 0.0);
  const auto look = [&](double base, double step) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = base + step * static_cast<double>(i);
    // Other rows may have no value here: theirs is not asked for.
    static_cast<void>(workspace.residual(0.0, x, xdot, f));
    for (std::uint32_t row = 0; row < n_equation_rows; ++row) {
      if ((f[row] == 0.0) != (step == 0.0) || std::isnan(f[row])) fits[row] = 0;
    }
  };
  for (const double base : {1.0, -0.75, 3.5}) look(base, 0.0);
  for (const double base : {1.0, -0.75}) look(base, 0.125);
  std::vector<EqualUnknowns> found;
  for (std::uint32_t row = 0; row < n_equation_rows; ++row) {
    if (fits[row] != 0 && pairs[row].first != RawPoint::none) found.push_back(pairs[row]);
  }
  return found;
}

ForwardedActions::ForwardedActions(EventActions& raw, const System& raw_system,
                                   std::span<const EqualUnknowns> equal, RawPoint& point, Told told)
    : raw_(raw), point_(point), told_(std::move(told)) {
  for (std::uint32_t action = 0; action < raw.count(); ++action) {
    ActionInfo info = raw.info(action);
    std::vector<std::size_t>& follows = follows_.emplace_back();
    const auto is_set = [&](std::uint32_t unknown) {
      return std::any_of(info.targets.begin(), info.targets.end(),
                         [&](const ActionTarget& t) { return t.is_unknown && t.index == unknown; });
    };
    const std::size_t n_own = info.targets.size();
    for (std::size_t k = 0; k < info.targets.size(); ++k) {
      if (!info.targets[k].is_unknown) continue;
      for (const auto& [a, b] : equal) {
        const std::uint32_t unknown = info.targets[k].index;
        const std::uint32_t other = unknown == a ? b : unknown == b ? a : RawPoint::none;
        if (other == RawPoint::none || point.number(other) == RawPoint::none || is_set(other)) {
          continue;
        }
        info.targets.push_back({true, other});
        info.target_names.push_back(raw_system.unknown_name(other));
        follows.push_back(k < n_own ? k : follows[k - n_own]);
      }
    }
    for (std::size_t k = 0; k < info.targets.size(); ++k) {
      ActionTarget& target = info.targets[k];
      if (!target.is_unknown) continue;
      target.index = point.number(target.index);
      if (target.index == RawPoint::none)
        throw ModelError("'" + info.name + "'",
                         "sets '" + info.target_names[k] +
                             "', which follows from constraints in this form of the model: choose "
                             "another engine");
    }
    infos_.push_back(std::move(info));
  }
}

void ForwardedActions::triggers(std::span<const double> before_x,
                                std::span<const double> before_discrete,
                                std::span<std::uint8_t> truth) {
  static_cast<void>(point_.move_to(0.0, before_x, {}, false));
  raw_.triggers(point_.x(), before_discrete, truth);
}

Evaluation ForwardedActions::values(std::uint32_t action, double t, std::span<const double> x,
                                    std::span<const double> xdot, std::span<double> out) {
  if (told_.prepare) told_.prepare(infos_[action], t, x, xdot);
  if (const Evaluation e = point_.move_to(t, x, xdot, true); !e) return e;
  const std::vector<std::size_t>& follows = follows_[action];
  const std::size_t n_own = out.size() - follows.size();
  const Evaluation done = raw_.values(action, t, point_.x(), point_.xdot(), out.first(n_own));
  for (std::size_t k = 0; k < follows.size(); ++k) out[n_own + k] = out[follows[k]];
  return done;
}

std::vector<double> ForwardedActions::watched(double t, std::span<const double> x,
                                              std::span<const double> xdot) {
  if (!point_.move_to(t, x, xdot, true)) return {};
  return raw_.watched(t, point_.x(), point_.xdot());
}

std::string ForwardedActions::jumped(std::uint32_t action, double t, std::span<const double> x,
                                     std::span<const double> xdot) {
  if (!point_.move_to(t, x, xdot, true)) return {};
  return raw_.jumped(action, t, point_.x(), point_.xdot());
}

ForwardedSwitching::ForwardedSwitching(const DifferentiatedSystem& differentiated, Workspace& raw,
                                       RawPoint where, std::function<void()> locks_changed,
                                       ForwardedActions::Told told)
    : point(std::move(where)) {
  if (auto* of_raw = raw.ability<Locks>()) {
    locks.emplace(*of_raw, std::move(locks_changed), point.is_prefix() ? nullptr : &point);
  }
  auto* of_raw = raw.ability<SwitchingFunctions>();
  if (of_raw == nullptr) return;
  functions.emplace(*of_raw, point);
  if (auto* enclosures = raw.ability<StepEnclosure>()) {
    enclosure.emplace(*enclosures, *functions, point);
  }
  if (auto* events = raw.ability<EventActions>()) {
    const std::vector<EqualUnknowns> equal =
        equal_unknowns(*differentiated.system, raw, differentiated.n_equation_rows());
    actions.emplace(*events, *differentiated.system, equal, point, std::move(told));
  }
}

}  // namespace saltus::detail
