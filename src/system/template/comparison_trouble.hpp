// Comparisons that cannot be answered.
#pragma once

#include <stdexcept>

namespace saltus::detail {

/// Passes through a user's code to whoever called it, and becomes a failed evaluation there.
class ComparisonTrouble : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace saltus::detail
