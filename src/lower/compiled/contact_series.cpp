#include "lower/compiled/contact_series.hpp"

namespace saltus::detail {

void ContactSeries::note(const ContactEvent& event, double t) {
  const auto note = [&](LastTimes& times) {
    if (t != times.last) times = {t, times.last};
  };
  for (std::uint32_t i = 0; i < touched_.size(); ++i) {
    if (event.touches[i] != 0) note(touched_[i]);
    if (event.stops[i] != 0) note(stopped_[i]);
  }
}

/// Where events of a contact accumulate it is not alone: a brick rocks from foot to foot. What has touched (or stopped)
/// about as lately, and is on a hop as short as those of the others, comes to rest with it.
ContactSeries::Resting ContactSeries::resting(const ContactEvent& event, double t,
                                              const ContactMotion& motion,
                                              std::span<const double> discrete) const {
  const std::size_t n = plan_.contacts().size();
  Resting resting{std::vector<std::uint8_t>(n, 0), std::vector<std::uint8_t>(n, 0)};
  if (event.rest_of == none) return resting;
  const bool by_slip = stopped_[event.rest_of].last > touched_[event.rest_of].last;
  const std::vector<LastTimes>& times = by_slip ? stopped_ : touched_;
  const LastTimes& own = times[event.rest_of];
  std::vector<std::uint8_t>& rests = by_slip ? resting.slip : resting.normal;
  std::vector<std::uint8_t> pushes(n, 0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const ContactDefinition& c = plan_.contacts()[i];
    pushes[i] = c.is_joint || discrete[c.closed] != 0 || times[i].last >= own.before ? 1 : 0;
  }
  const std::vector<std::uint8_t> felt_by = motion.coupled_with(event.rest_of, pushes);
  // Series that end together come down to a few of their hops: one is over by then, or as short as the others.
  constexpr double some = 8.0;
  const double soon = some * (t - own.before);
  for (std::uint32_t i = 0; i < n && own.before != LastTimes::never; ++i) {
    if (felt_by[i] == 0 || t - times[i].last > soon) continue;
    rests[i] = (by_slip ? discrete[plan_.contacts()[i].closed] != 0 && times[i].last >= own.before
                        : motion.hop_time(i) <= soon)
                   ? 1
                   : 0;
  }
  rests[event.rest_of] = 1;
  return resting;
}

}  // namespace saltus::detail
