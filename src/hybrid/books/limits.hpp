// What a run may use up: steps, events, seconds, and the patience of its observer.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include <saltus/core/observer.hpp>
#include <saltus/hybrid/options.hpp>

#include "hybrid/books/ending.hpp"
#include "hybrid/books/ledger.hpp"
#include "hybrid/core/progress_clock.hpp"

namespace saltus::detail {

class Limits {
 public:
  /// The clock begins. All outlive it.
  Limits(const RunOptions& options, Observer& observer, Ledger& ledger);

  double seconds() const;
  /// After a step to t: why the run must end, if it must.
  std::optional<Ending> look(double t);
  /// The last call of the observer.
  void look_last(double t) { (void)keeps_going(t, 1.0, seconds()); }
  /// After an event.
  std::optional<Ending> look_at_events(double t) const;
  /// Relations that switch, or clauses that follow a change of modes, again and again at one time.
  std::optional<Failure> stands_still(double t, std::span<const std::string> names,
                                      std::uint32_t n_functions);

 private:
  bool keeps_going(double t, double fraction, double seconds);
  std::optional<Ending> look_at_steps(double t);
  double seconds_at_step();

  const RunOptions& options_;
  Observer& observer_;
  Ledger& ledger_;
  std::chrono::steady_clock::time_point began_;
  double seconds_seen_ = 0.0;  // when the clock was read last
  int n_steps_per_look_ = 1, n_steps_to_look_ = 0;
  ProgressClock progress_;
};

}  // namespace saltus::detail
