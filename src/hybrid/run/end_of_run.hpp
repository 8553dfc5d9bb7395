// The end of a run, and what is said of it.
#pragma once

#include <optional>

#include "hybrid/run/parts.hpp"

namespace saltus::detail {

class EndOfRun {
 public:
  /// Both outlive it.
  EndOfRun(Ground& ground, StepParts& step) : ground_(ground), step_(step) {}

  bool is_reached() const { return reached_; }
  /// The run ends, unless it has ended before: the first reason counts. Always false: it does not go on.
  bool reach(const Ending& ending);
  /// Up to date also while the run goes on.
  const RunReport& report();
  /// Ends a run that has not ended.
  Solution finish(const std::optional<Question>& question);

 private:
  Ground& ground_;
  StepParts& step_;
  bool reached_ = false;
};

}  // namespace saltus::detail
