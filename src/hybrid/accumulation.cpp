#include "hybrid/accumulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::detail {

AccumulationWatch::Verdict AccumulationWatch::note(std::uint32_t which, double t,
                                                   double uncertainty) {
  // Two ratios that agree so far, or as far as the times of the events tell, are one.
  constexpr double steady = 1e-3, most_uncertain = 0.02;
  constexpr double not_shrinking = 0.999;
  constexpr double short_in_ulp = 100;  // shorter intervals are no motion any more
  constexpr int many_short = 10;

  Past& past = last_[which];
  ++past.n_events;
  Verdict verdict;
  verdict.n_events = past.n_events;
  if (past.n_events == 1) {
    past.t = past.t_first = t;
    return verdict;
  }
  const double interval = std::abs(t - past.t);
  const double ratio = past.n_intervals > 0 && past.interval > 0 ? interval / past.interval : 0.0;
  const double ulp = std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-300);
  past.n_short = interval <= short_in_ulp * ulp ? past.n_short + 1 : 0;
  if (past.n_short >= many_short) verdict.kind = Kind::chatters;
  if (ratio >= not_shrinking) past.t_first = past.t;
  if (past.n_intervals >= 2 && ratio > 0 && ratio < not_shrinking &&
      std::abs(ratio - past.ratio) <
          std::min(most_uncertain, steady + 4 * uncertainty / past.interval)) {
    const double rest = interval * ratio / (1 - ratio);
    if (rest <= window_ * std::abs(t - past.t_first)) {
      verdict.kind = Kind::accumulates;
      verdict.t_limit = t + (t >= past.t ? rest : -rest);
      verdict.ratio = ratio;
    }
  }
  past.t = t;
  past.interval = interval;
  past.ratio = ratio;
  ++past.n_intervals;
  return verdict;
}

std::optional<double> AccumulationWatch::limit_of(std::uint32_t which) const {
  const Past& past = last_[which];
  if (past.n_intervals < 3 || !(past.ratio > 0) || past.ratio >= 0.99) return std::nullopt;
  const double rest = past.interval * past.ratio / (1 - past.ratio);
  return past.t + (past.t >= past.t_first ? rest : -rest);
}

bool AccumulationWatch::note_excursion(std::uint32_t which, double rate, double error) {
  Past& past = last_[which];
  const bool seen = past.n_intervals > 0 && std::abs(rate) * past.interval / 4 >= error;
  past.n_unresolved = past.n_intervals == 0 || seen ? 0 : past.n_unresolved + 1;
  return past.n_unresolved >= 2;
}

}  // namespace saltus::detail
