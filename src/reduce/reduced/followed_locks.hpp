// Locks of the raw system below a reduced one.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "reduce/system/forwarded_switching.hpp"

namespace saltus::detail {

/// Notices that the equations of the raw system have become others: all that is frozen is then that of others.
class FollowedLocks {
 public:
  explicit FollowedLocks(Workspace& raw) {
    auto* locks = raw.ability<Locks>();
    if (locks == nullptr) return;
    locks_.emplace(*locks, [this] { have_changed_ = true; });
    branches_.resize(locks->n_branches());
    now_.resize(locks->n_branches());
    locks->branches(branches_);
  }

  /// What the reduced system offers; null if the raw one has none.
  Locks* offered() { return locks_ ? &*locks_ : nullptr; }
  /// True once after the branches of equations have changed.
  bool have_changed_equations() {
    if (!have_changed_) return false;
    have_changed_ = false;
    locks_->branches(now_);
    const auto n = static_cast<std::ptrdiff_t>(locks_->n_equation_branches());
    if (std::equal(now_.begin(), now_.begin() + n, branches_.begin())) return false;
    branches_ = now_;
    return true;
  }
  /// What is frozen belongs to the present ones.
  void begin_again() {
    have_changed_ = false;
    if (locks_) locks_->branches(branches_);
  }

 private:
  std::optional<NoticedLocks> locks_;
  bool have_changed_ = false;
  std::vector<std::uint8_t> branches_, now_;
};

}  // namespace saltus::detail
