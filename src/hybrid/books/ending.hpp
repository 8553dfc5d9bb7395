// How and why a run ends.
#pragma once

#include <optional>
#include <string>

#include <saltus/core/result.hpp>
#include <saltus/trajectory/report.hpp>

namespace saltus::detail {

struct Ending {
  Outcome outcome = Outcome::finished;
  std::string message = {};
  std::optional<FailureCode> failure = std::nullopt;
  /// What has been reached is the end of what is recorded, not where the engine is.
  bool as_recorded = false;
  /// Or this time.
  std::optional<double> t_reached = std::nullopt;
  /// Actions of the last instant come first.
  bool acts_first = false;
};

inline Ending ended_by(const Failure& failure) {
  return {Outcome::failed, failure.message, failure.code};
}

}  // namespace saltus::detail
