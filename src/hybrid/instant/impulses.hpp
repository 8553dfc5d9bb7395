// Impulses within a mode: constraints on an input that jumps, or has a kink where they contain its derivative, make
// unknowns jump that have a history.
#pragma once

#include <span>

#include "hybrid/mode/mode_search.hpp"
#include "hybrid/stay/frame.hpp"
#include "hybrid/stay/left_side.hpp"

namespace saltus::detail {

class Impulses {
 public:
  /// All outlive it.
  Impulses(const Frame& frame, const LeftSide& left, ModeSearch& search)
      : frame_(frame), here_(frame.here), ledger_(frame.ledger), left_(left), search_(search) {}

  /// The same mode is entered once more, from the left limit, if what has a history would jump without a reason.
  Result<void> jump(const EventPoint& point, InstantResult& result);

 private:
  bool would_jump(const EventPoint& point, const InstantResult& result) const;
  bool has_other_index(const EventPoint& point, const InstantResult& result) const;
  void tell_of_jump(const EventPoint& point, std::span<const double> x_left,
                    const ModeChange& change);

  const Frame& frame_;
  Stay& here_;
  Ledger& ledger_;
  const LeftSide& left_;
  ModeSearch& search_;
};

}  // namespace saltus::detail
