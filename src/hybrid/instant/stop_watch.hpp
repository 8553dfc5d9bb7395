// Clauses that bring their own condition to rest on its surface.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hybrid/books/ledger.hpp"
#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

/// If the solution moves on beyond such a surface, that is seldom meant: a clause is carried out once, and nothing holds the
/// solution there.
class StopWatch {
 public:
  /// Both outlive it.
  StopWatch(const Stay& here, Ledger& ledger) : here_(here), ledger_(ledger) {}

  /// A relation that a clause has just brought to rest on its surface.
  struct Stop {
    std::uint32_t which = 0;
    std::string text;
  };
  const std::optional<Stop>& stop() const { return stop_; }
  void forget() { stop_.reset(); }
  /// After an instant of a mode.
  void note(const ModeRun& mode, const EventPoint& point, std::span<const Crossing> crossings,
            const InstantResult& result);
  /// After a step: whether the solution has left the surface.
  void look();

 private:
  const Stay& here_;
  Ledger& ledger_;
  std::optional<Stop> stop_;
};

}  // namespace saltus::detail
