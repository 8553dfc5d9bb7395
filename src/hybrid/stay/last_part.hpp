// How a trajectory ends where its system ceases to be what it was, or nothing leads on.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "hybrid/books/ending.hpp"
#include "hybrid/stay/frame.hpp"
#include "hybrid/stay/resolution.hpp"

namespace saltus::detail {

/// Records as much as is certain, and says why there is no more.
class LastPart {
 public:
  /// Both outlive it.
  LastPart(const Frame& frame, TimeResolution& resolution)
      : here_(frame.here),
        recording_(frame.recording),
        ledger_(frame.ledger),
        options_(frame.options),
        resolution_(resolution) {}

  /// The engine has made a step across a singular point.
  Ending end_where_singular(const RegularityLoss& loss);
  /// It could not make a step.
  Ending end_with_step(const Failure& failure);
  /// Its step could not be recorded.
  Ending end_with_outputs(const Failure& failure);
  /// At an event, as the model or an option wishes. `left_range`: a relation of a range that was left.
  Result<Ending> end_at_event(double t, const InstantResult& result,
                              std::optional<std::uint32_t> left_range);

 private:
  std::string values_at(double t, std::span<const double> x, std::span<const double> xdot);
  std::string values_before_and_at(double t, std::span<const double> x,
                                   std::span<const double> xdot);
  std::string end_of_surface(const RegularityLoss& loss) const;
  std::string impasse(const std::string& said);
  std::string growth() const;
  void cut_unresolved_end();
  void step_up_to(double t_last);

  Stay& here_;
  Recording& recording_;
  Ledger& ledger_;
  RunOptions& options_;
  TimeResolution& resolution_;
};

}  // namespace saltus::detail
