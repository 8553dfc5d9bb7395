// Time stands still: one loop over verdicts.
#pragma once

#include <optional>

#include "hybrid/run/parts.hpp"

namespace saltus::detail {

class InstantLoop {
 public:
  /// Both outlive it.
  InstantLoop(Ground& ground, InstantParts& at) : ground_(ground), at_(at) {}

  /// Nothing if the run goes on, or waits for a decision.
  using Passed = Result<std::optional<Ending>>;
  Passed pass(Verdict verdict);
  /// The same with the actions of the last instant, if an ending has some. An ending among these counts instead.
  Ending with_last_actions(Ending ending);

  const std::optional<Question>& question() const { return question_; }
  /// The question with a candidate as its answer; there is no question any more. Throws Error if there is none, or the
  /// candidate is not possible.
  SurfaceInstant answer(std::size_t candidate);

 private:
  Ground& ground_;
  InstantParts& at_;
  std::optional<Question> question_;  // waits for an answer
};

}  // namespace saltus::detail
