// What a system keeps by its derivatives only, such as closed gaps and joints, and what is done when it drifts.
#pragma once

#include <cstdint>
#include <optional>

#include "hybrid/books/ledger.hpp"
#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

class DriftKeeper {
 public:
  /// Both outlive it.
  DriftKeeper(const Stay& here, Ledger& ledger) : here_(here), ledger_(ledger) {}
  /// Where the solution goes on if it has drifted by more than a few tolerances: nothing happens there, unless a relation
  /// turns out to be another one by so little.
  Result<std::optional<EventPoint>> put_back();
  void report() const;

 private:
  const Stay& here_;
  Ledger& ledger_;
  std::uint64_t n_put_back_ = 0;
  double largest_ = 0.0;  // when it was, in tolerances
};

}  // namespace saltus::detail
