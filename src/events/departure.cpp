#include <saltus/events/departure.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>

#include "events/cost.hpp"
#include "events/isolation.hpp"
#include "events/refine.hpp"
#include "events/watched_function.hpp"

namespace saltus {

using detail::IsolationOutcome;
using detail::TimeBracket;

struct DepartureSearch::Impl {
  Impl(SwitchingFunctions& watched, StepEnclosure* its_enclosure, const DetectionOptions& options)
      : functions(watched),
        enclosure(options.enclosures ? its_enclosure : nullptr),
        signs_only(!options.enclosures),
        function(watched, enclosure),
        isolation(options.samples_per_step),
        counts(watched.count()),
        hulls(watched.count()),
        work(watched.count()),
        looks(watched.count()) {}

  /// What the present step has shown of one function.
  struct Look {
    bool is_known = false;
    Guarantee of_search = Guarantee::proven;
    std::size_t departure = none, approach = none;  // in `found` and `approaches`
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  double slack(const WatchList& watch, std::uint32_t i) const {
    return watch.slack.empty() ? 0.0 : watch.slack[i];
  }
  double width(const WatchList& watch, std::uint32_t i) const {
    return watch.width.empty() ? 0.0 : watch.width[i];
  }
  double band(const WatchList& watch, std::uint32_t i) const {
    return watch.uncertainty.empty() ? 0.0 : watch.uncertainty[i];
  }
  bool leaves(const WatchList& watch, std::uint32_t i) const {
    return !watch.leaves.empty() && watch.leaves[i] != 0 && function.s_from() == 0.0;
  }

  bool has_work(const WatchList& watch);
  bool is_clear(std::uint32_t i, const WatchList& watch) const;
  void look_at(std::uint32_t i, const WatchList& watch);
  void examine(std::uint32_t i, const WatchList& watch);
  bool is_known_of_other(std::uint32_t i, const WatchList& watch) const;
  void repeat(std::uint32_t i, const Look& other);
  IsolationOutcome compare_ends();
  void count(std::uint32_t i, Guarantee of_search);
  void keep_first();

  SwitchingFunctions& functions;
  StepEnclosure* enclosure;
  bool signs_only;
  detail::WatchedFunction function;
  detail::Isolation isolation;
  std::vector<DetectionCounts> counts;
  std::vector<Interval> hulls;
  std::vector<double> work;  // in plain evaluations, with fractions
  std::vector<Look> looks;
  std::vector<Departure> found;
  std::vector<Approach> approaches;
  double limit = 1.0;
};

bool DepartureSearch::Impl::has_work(const WatchList& watch) {
  SALTUS_ASSERT(watch.side.size() == counts.size());
  return std::any_of(watch.side.begin(), watch.side.end(), [](std::int8_t s) { return s != 0; });
}

/// From the range over the whole rest of the step: on its side, and too far from zero to be marginal.
bool DepartureSearch::Impl::is_clear(std::uint32_t i, const WatchList& watch) const {
  const Interval g = watch.side[i] < 0 ? -hulls[i] : hulls[i];
  const double tolerated = band(watch, i);
  return g.lo() > (tolerated > 0 ? watch.reach * tolerated - width(watch, i) : -slack(watch, i));
}

/// Signs at the ends of the step: what a plain integrator looks at.
IsolationOutcome DepartureSearch::Impl::compare_ends() {
  IsolationOutcome outcome;
  outcome.of_departure = outcome.of_search = Guarantee::heuristic;
  double begin = 0.0, end = 0.0;
  const double s_from = function.s_from();
  if (!function.evaluate(function.time_at(s_from), begin) ||
      !function.evaluate(function.time_at(1.0), end)) {
    return outcome;
  }
  if (begin >= 0 && end < 0)
    outcome.bracket = refine(function, {s_from, 1.0, Guarantee::heuristic});
  return outcome;
}

void DepartureSearch::Impl::examine(std::uint32_t i, const WatchList& watch) {
  // An exit asks all sides at every point; where it lies better than its error is of no use.
  constexpr double part_of_error = 1e-2, least = 1e-12;
  const bool is_exit = functions.info(i).kind == SwitchKind::exit;
  function.select(i, watch.side[i], slack(watch, i),
                  is_exit ? std::max(part_of_error * band(watch, i), least) : 0.0);
  IsolationOutcome outcome;
  if (signs_only) {
    outcome = compare_ends();
  } else if (enclosure != nullptr && hulls[i].lo() == 0 && hulls[i].hi() == 0) {
    outcome.of_search = Guarantee::marginal;  // identically zero: on no side
    outcome.nearest = {function.s_from(), 0.0};
  } else {
    const Interval range = enclosure != nullptr ? function.of_side(hulls[i]) : Interval::entire();
    outcome = isolation.search(
        function, limit,
        {slack(watch, i) - width(watch, i), band(watch, i), watch.reach, leaves(watch, i)}, range);
  }
  work[i] += function.work();
  count(i, outcome.of_search);
  if (outcome.nearest) looks[i].approach = approaches.size();
  if (outcome.nearest)
    approaches.push_back({i, outcome.nearest->s, outcome.nearest->distance,
                          outcome.of_search == Guarantee::marginal});
  if (!outcome.bracket) return;
  const TimeBracket& t = *outcome.bracket;
  looks[i].departure = found.size();
  found.push_back({.which = i,
                   .s_before = function.position_of(t.before),
                   .s_after = function.position_of(t.after),
                   .t_before = t.before,
                   .t_after = t.after,
                   .guarantee = outcome.of_departure});
  limit = std::min(limit, found.back().s_after);
}

/// Another function with the same values was looked at, from the same side and with the same tolerances.
bool DepartureSearch::Impl::is_known_of_other(std::uint32_t i, const WatchList& watch) const {
  const std::uint32_t other = functions.info(i).same_as;
  return other != SwitchInfo::no_other && looks[other].is_known &&
         watch.side[other] == watch.side[i] && slack(watch, other) == slack(watch, i) &&
         width(watch, other) == width(watch, i) && band(watch, other) == band(watch, i) &&
         leaves(watch, other) == leaves(watch, i) &&
         functions.info(other).kind == functions.info(i).kind;
}

void DepartureSearch::Impl::repeat(std::uint32_t i, const Look& other) {
  count(i, other.of_search);
  if (other.approach != none) {
    approaches.push_back(Approach(approaches[other.approach]));
    approaches.back().which = i;
  }
  if (other.departure != none) {
    found.push_back(Departure(found[other.departure]));
    found.back().which = i;
  }
}

void DepartureSearch::Impl::look_at(std::uint32_t i, const WatchList& watch) {
  ++counts[i].n_steps;
  if (is_known_of_other(i, watch)) {
    repeat(i, looks[functions.info(i).same_as]);
    return;
  }
  looks[i].is_known = true;
  if (enclosure != nullptr) {
    work[i] += detail::hull_cost;
    if (is_clear(i, watch)) {
      ++counts[i].n_proven;
      return;
    }
  }
  examine(i, watch);
}

void DepartureSearch::Impl::count(std::uint32_t i, Guarantee of_search) {
  looks[i].of_search = of_search;
  DetectionCounts& c = counts[i];
  switch (of_search) {
    case Guarantee::proven:
      ++c.n_proven;
      break;
    case Guarantee::heuristic:
      ++c.n_heuristic;
      break;
    case Guarantee::marginal:
      ++c.n_marginal;
      break;
  }
}

/// The earliest, and those that begin before it is over.
void DepartureSearch::Impl::keep_first() {
  if (found.empty()) return;
  const auto order = [](const Departure& a, const Departure& b) {
    return a.s_before != b.s_before ? a.s_before < b.s_before : a.which < b.which;
  };
  const auto first =
      std::min_element(found.begin(), found.end(), [&](const auto& a, const auto& b) {
        return a.s_after != b.s_after ? a.s_after < b.s_after : order(a, b);
      });
  const double begin = first->s_before, end = first->s_after;
  std::erase_if(found, [&](const Departure& d) { return d.s_before >= end && d.s_before > begin; });
  std::sort(found.begin(), found.end(), order);
}

DepartureSearch::DepartureSearch(SwitchingFunctions& functions, StepEnclosure* enclosure,
                                 const DetectionOptions& options)
    : impl_(std::make_unique<Impl>(functions, enclosure, options)) {}

DepartureSearch::~DepartureSearch() = default;

std::span<const Departure> DepartureSearch::first(const StepPolynomial& step, double s_from,
                                                  const WatchList& watch) {
  Impl& m = *impl_;
  m.found.clear();
  m.approaches.clear();
  if (!(s_from < 1.0) || !m.has_work(watch)) return m.found;
  m.limit = 1.0;
  m.function.look_at(step, s_from);
  if (m.enclosure != nullptr) m.enclosure->hulls(step, Interval(s_from, 1.0), m.hulls);
  std::fill(m.looks.begin(), m.looks.end(), Impl::Look{});
  for (std::uint32_t i = 0; i < m.counts.size(); ++i) {
    if (watch.side[i] != 0 && m.functions.is_active(i)) m.look_at(i, watch);
  }
  m.keep_first();
  return m.found;
}

std::span<const Approach> DepartureSearch::approaches() const { return impl_->approaches; }

std::span<const DetectionCounts> DepartureSearch::counts() const {
  Impl& m = *impl_;
  for (std::size_t i = 0; i < m.counts.size(); ++i) {
    m.counts[i].n_evaluations = static_cast<std::uint64_t>(std::llround(m.work[i]));
  }
  return m.counts;
}

}  // namespace saltus
