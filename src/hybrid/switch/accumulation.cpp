#include "hybrid/switch/accumulation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace saltus::detail {

namespace {

/// Of the last events, those that could not be told apart.
constexpr std::uint8_t last_four = 0b1111, last_two = 0b11;

}  // namespace

AccumulationWatch::Verdict AccumulationWatch::note(std::uint32_t which, const Sighting& seen) {
  constexpr double short_in_ulp = 100;  // shorter intervals are no motion any more
  constexpr int many_short = 10;
  constexpr int some = 2, most = 3;  // of the last four
  constexpr double clearly = 4.0;    // beyond the resolution

  Past& past = past_[which];
  ++past.n_events;
  std::shift_right(past.times.begin(), past.times.end(), 1);
  past.times.front() = seen.t;
  Verdict verdict;
  verdict.n_events = past.n_events;
  if (past.n_events == 1) {
    past.t = seen.t;
    return verdict;
  }
  const double way = seen.t >= past.t ? 1.0 : -1.0;
  const double interval = std::abs(seen.t - past.t);
  const double ulp = std::numeric_limits<double>::epsilon() * std::max(std::abs(seen.t), 1e-300);
  past.n_short = interval <= short_in_ulp * ulp ? past.n_short + 1 : 0;
  past.n_below = seen.excursion < seen.error ? past.n_below + 1 : 0;
  verdict.resolution = resolution_of(past, seen);
  const bool is_unresolved = seen.excursion < verdict.resolution;
  past.unresolved = static_cast<std::uint8_t>(past.unresolved << 1U | (is_unresolved ? 1U : 0U));
  // The last hops of a series are as high as the errors of their events, some a bit more.
  const bool is_unclear = seen.excursion < clearly * verdict.resolution;
  past.unclear = static_cast<std::uint8_t>(past.unclear << 1U | (is_unclear ? 1U : 0U));
  if (++past.n_intervals >= 2) predict(past, seen, interval + past.interval);
  verdict.is_stuck = !seen.turned_back && past.n_turned_back >= some &&
                     seen.excursion * seen.excursion < past.excursion * verdict.resolution;
  past.n_turned_back = seen.turned_back ? past.n_turned_back + 1 : 0;
  past.t = seen.t;
  past.interval = interval;
  past.excursion = seen.excursion;

  verdict.below_error = past.n_below >= 2;
  const int n_unresolved = std::popcount(static_cast<unsigned>(past.unresolved & last_four));
  if (past.best && (n_unresolved >= some || verdict.is_stuck)) {
    verdict.kind = Kind::accumulates;
    verdict.prediction = *past.best;
    // Events that could not be told apart may have led past the limit: then the last ones tell how much is left.
    Prediction& p = verdict.prediction;
    if (way * (p.t_limit - seen.t) <= 0) {
      const double later = past.limit.value_or(seen.t);
      p.error = std::max(p.error, std::abs(later - p.t_limit));
      p.t_limit = later;
    }
  } else if (n_unresolved >= most || verdict.is_stuck) {
    verdict.kind = Kind::lost;
  } else if (past.n_short >= many_short) {
    verdict.kind = Kind::chatters;
  }
  return verdict;
}

/// Excursions fall at least as fast as intervals.
double AccumulationWatch::resolution_of(const Past& past, const Sighting& seen) {
  constexpr double of_distance = 0.1;
  if (!past.best) return seen.resolution;
  return std::max(seen.resolution, of_distance * seen.distance / (1 - past.best->ratio));
}

/// (V.3) from this event and the last one at which S was twice as large.
void AccumulationWatch::predict(Past& past, const Sighting& seen, double pair) const {
  constexpr double apart = 2.0, each = 0.8, moves = 0.5, exclude = 2.0;
  const double way = seen.t >= past.t ? 1.0 : -1.0;
  auto& points = past.shrinking;
  while (!points.empty() && points.back().pair <= pair) points.pop_back();
  // Two events that can clearly be told apart, or eight that can, go on where there should be none.
  constexpr int many = 8;
  const bool is_beyond = past.best && way * (seen.t - past.best->t_limit) > 2 * past.best->error;
  past.n_beyond = is_beyond && (past.unresolved & 1U) == 0 ? past.n_beyond + 1 : 0;
  if (is_beyond && ((past.unclear & last_two) == 0 || past.n_beyond >= many)) past.best.reset();
  past.limit.reset();
  const auto a = std::find_if(points.rbegin(), points.rend(),
                              [&](const Checkpoint& c) { return c.pair >= apart * pair; });
  if (a != points.rend()) {
    const double passed = std::abs(seen.t - a->t);
    const double rest = passed * pair / (a->pair - pair);
    past.limit = seen.t + way * rest;
    const double since = std::abs(seen.t - points.front().t) + points.front().pair;
    if (a->limit && rest <= window_ * since) {
      const double moved = std::abs(*past.limit - *a->limit);
      const double n = static_cast<double>(past.n_events - a->n);
      const double ratio = std::pow(pair / a->pair, 1 / n);
      const double part = seen.lost > 0 ? std::min(1.0, seen.lost / seen.excursion) : 0.0;
      // An error of both ends of S_n, and of as many S as fit in t_n - t_a.
      const double error =
          moved + 4 * seen.time_error * (1 + passed / pair) + part * rest / (1 - ratio);
      const auto improves = [&](const Prediction& best) {
        return error <= best.error ||
               std::abs(*past.limit - best.t_limit) > exclude * (error + best.error);
      };
      if (moved <= moves * passed && (!past.best || improves(*past.best)))
        past.best = Prediction{*past.limit, error, ratio, past.n_events - points.front().n + 2};
    }
  }
  if (points.empty() || pair <= each * points.back().pair)
    points.push_back({seen.t, pair, past.limit, past.n_events});
}

std::optional<double> AccumulationWatch::interval_to(std::uint32_t which, double t) const {
  const Past& past = past_[which];
  if (past.n_events == 0) return std::nullopt;
  return std::abs(t - past.t);
}

void AccumulationWatch::forget(std::uint32_t which) {
  const std::uint64_t n_close = past_[which].n_close;
  past_[which] = {};
  past_[which].n_close = n_close;
}

bool AccumulationWatch::note_close(std::uint32_t which, double excursion, double error,
                                   double distance) {
  constexpr double few = 10.0;
  Past& past = past_[which];
  const bool is_close = excursion < few * (error + past.displaced);
  past.displaced += distance;
  const bool again = is_close && past.was_close;
  past.was_close = is_close;
  if (again) ++past.n_close;
  return again;
}

bool switches_with(std::span<const double> series, std::span<const double> other) {
  constexpr std::size_t enough = 6;  // intervals
  if (series.size() <= enough) return false;
  const double way = series[0] > series[1] ? 1.0 : -1.0;
  for (std::size_t k = 0; k < enough; ++k) {
    const auto n = std::ranges::count_if(other, [&](double t) {
      return way * (t - series[k + 1]) > 0 && way * (t - series[k]) <= 0;
    });
    if (n != 1) return false;
  }
  return true;
}

}  // namespace saltus::detail
