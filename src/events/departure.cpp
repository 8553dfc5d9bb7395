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
        work(watched.count()) {}

  double slack(const WatchList& watch, std::uint32_t i) const {
    return watch.slack.empty() ? 0.0 : watch.slack[i];
  }
  double width(const WatchList& watch, std::uint32_t i) const {
    return watch.width.empty() ? 0.0 : watch.width[i];
  }
  double band(const WatchList& watch, std::uint32_t i) const {
    return watch.uncertainty.empty() ? 0.0 : watch.uncertainty[i];
  }

  bool has_work(const WatchList& watch);
  bool is_clear(std::uint32_t i, const WatchList& watch) const;
  void examine(std::uint32_t i, const WatchList& watch);
  IsolationOutcome compare_ends();
  void count(std::uint32_t i, const IsolationOutcome& outcome);
  void keep_first();

  SwitchingFunctions& functions;
  StepEnclosure* enclosure;
  bool signs_only;
  detail::WatchedFunction function;
  detail::Isolation isolation;
  std::vector<DetectionCounts> counts;
  std::vector<Interval> hulls;
  std::vector<double> work;  // in plain evaluations, with fractions
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
    outcome = isolation.search(function, limit,
                               {slack(watch, i) - width(watch, i), band(watch, i), watch.reach});
  }
  count(i, outcome);
  if (outcome.nearest)
    approaches.push_back({i, outcome.nearest->s, outcome.nearest->distance,
                          outcome.of_search == Guarantee::marginal});
  if (!outcome.bracket) return;
  const TimeBracket& t = *outcome.bracket;
  found.push_back({.which = i,
                   .s_before = function.position_of(t.before),
                   .s_after = function.position_of(t.after),
                   .t_before = t.before,
                   .t_after = t.after,
                   .guarantee = outcome.of_departure});
  limit = std::min(limit, found.back().s_after);
}

void DepartureSearch::Impl::count(std::uint32_t i, const IsolationOutcome& outcome) {
  DetectionCounts& c = counts[i];
  switch (outcome.of_search) {
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
  work[i] += function.work();
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
  for (std::uint32_t i = 0; i < m.counts.size(); ++i) {
    if (watch.side[i] == 0 || !m.functions.is_active(i)) continue;
    ++m.counts[i].n_steps;
    if (m.enclosure != nullptr) {
      m.work[i] += detail::hull_cost;
      if (m.is_clear(i, watch)) {
        ++m.counts[i].n_proven;
        continue;
      }
    }
    m.examine(i, watch);
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
