// The branches that all programs of a workspace run under.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <saltus/expr/evaluator.hpp>

namespace saltus::detail {

/// An evaluator and what it has seen of the locks.
template <class E>
struct Locked {
  explicit Locked(E e) : evaluator(std::move(e)) {}
  E evaluator;
  std::uint64_t seen = std::numeric_limits<std::uint64_t>::max();
};

/// One lock per switch of the graph. Evaluators copy them when they run next after a change: setting a
/// lock is a store, however many programs there are.
class LockBoard {
 public:
  explicit LockBoard(std::size_t n_switches) : values_(n_switches, lock_false) {}

  std::uint8_t operator[](SwitchId which) const { return values_[which]; }
  std::span<const std::uint8_t> values() const { return values_; }
  /// Changes with every change of a lock.
  std::uint64_t version() const { return version_; }

  void set(SwitchId which, bool truth) {
    const std::uint8_t value = truth ? lock_true : lock_false;
    if (values_[which] == value) return;
    values_[which] = value;
    ++version_;
  }

  template <class E>
  void apply(Locked<E>& locked) const {
    if (locked.seen == version_) return;
    locked.evaluator.set_locks(values_);
    locked.seen = version_;
  }

 private:
  std::vector<std::uint8_t> values_;
  std::uint64_t version_ = 0;
};

}  // namespace saltus::detail
