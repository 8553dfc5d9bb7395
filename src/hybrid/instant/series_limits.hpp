// How a run goes on where a series of events comes to its end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hybrid/instant/event_series.hpp"
#include "hybrid/instant/stop_watch.hpp"
#include "hybrid/instant/verdict.hpp"
#include "hybrid/stay/left_side.hpp"
#include "hybrid/stay/motion.hpp"

namespace saltus::detail {

class SeriesLimits {
 public:
  /// All outlive it.
  SeriesLimits(const Frame& frame, Motion& motion, LeftSide& left, EventSeries& series,
               const StopWatch& stop_watch)
      : frame_(frame),
        here_(frame.here),
        ledger_(frame.ledger),
        motion_(motion),
        left_(left),
        series_(series),
        stop_watch_(stop_watch) {}

  /// After an event: whether its series has come to an end, and what happens there.
  Verdict look(const GoOn::Series& after);

 private:
  std::optional<SeriesEnd> rest_where_stopped();
  Verdict continue_at(const SeriesEnd& series);
  Verdict continue_with(std::uint32_t action, const SeriesEnd& series);
  Verdict continue_at_corner(std::uint32_t first, std::uint32_t second, double t_limit);
  Result<void> go_straight_to(const EventPoint& limit, std::span<const double> change);

  const Frame& frame_;
  Stay& here_;
  Ledger& ledger_;
  Motion& motion_;
  LeftSide& left_;
  EventSeries& series_;
  const StopWatch& stop_watch_;
};

}  // namespace saltus::detail
