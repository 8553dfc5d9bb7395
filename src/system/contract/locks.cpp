// Locks: set and read, decided at a point, the same branches for the same locks.
#include <algorithm>

#include <saltus/core/text.hpp>
#include <saltus/system/switching.hpp>

#include "system/contract/trial.hpp"

namespace saltus::detail {

namespace {

using Truths = std::vector<std::uint8_t>;

class LocksCheck {
 public:
  LocksCheck(Trial& trial, SwitchingFunctions& functions, Locks& locks)
      : trial_(trial), functions_(functions), locks_(locks) {
    for (std::uint32_t i = 0; i < functions.count(); ++i) {
      if (functions.info(i).kind == SwitchKind::relation) relation_.push_back(i);
    }
  }

  /// False: the others make no sense.
  bool has_sizes() {
    if (locks_.locks().size() != relation_.size()) {
      trial_.findings.add("locks", "size",
                          "there are " + std::to_string(locks_.locks().size()) + " locks for " +
                              std::to_string(relation_.size()) + " relations");
      return false;
    }
    if (locks_.n_equation_branches() > locks_.n_branches()) {
      trial_.findings.add("locks", "branches",
                          "there are more branches of equations than branches");
      return false;
    }
    return true;
  }

  void run(const TrialPoint& point) {
    if (!locks_.decide(trial_.t(), point.x, point.xdot)) return;
    check_decided(point);
    const Truths branches = branches_now();
    const Truths active = active_now();
    std::vector<double> f(trial_.size()), again(trial_.size());
    const bool has_residual =
        static_cast<bool>(trial_.workspace->residual(trial_.t(), point.x, point.xdot, f));
    for (std::uint32_t lock = 0; lock < relation_.size(); ++lock) {
      const std::string name = switch_text(functions_, relation_[lock]);
      const bool before = locks_.locks()[lock] != 0;
      locks_.set_lock(lock, !before);
      const bool was_set = (locks_.locks()[lock] != 0) != before;
      locks_.set_lock(lock, before);
      if (!was_set || (locks_.locks()[lock] != 0) != before) {
        trial_.findings.add(
            "locks", name,
            "the lock of " + name + " does not keep the value it was set to" + trial_.where(point));
      } else if (branches_now() != branches) {
        trial_.findings.add("locks", name,
                            "the branches have changed after the lock of " + name +
                                " was set and put back" + trial_.where(point));
      } else if (active_now() != active) {
        trial_.findings.add("locks", name,
                            "different switches matter after the lock of " + name +
                                " was set and put back" + trial_.where(point));
      } else if (has_residual &&
                 (!trial_.workspace->residual(trial_.t(), point.x, point.xdot, again) ||
                  again != f)) {
        trial_.findings.add("locks", name,
                            "the residual has changed after the lock of " + name +
                                " was set and put back" + trial_.where(point));
      }
    }
  }

 private:
  void check_decided(const TrialPoint& point) {
    std::vector<double> g(functions_.count());
    if (!functions_.evaluate(trial_.t(), point.x, point.xdot, g)) return;
    for (std::size_t lock = 0; lock < relation_.size(); ++lock) {
      const std::uint32_t i = relation_[lock];
      const bool locked = locks_.locks()[lock] != 0;
      const bool truth = functions_.is_active(i) && functions_.info(i).truth(g[i]);
      if (locked == truth || (!functions_.is_active(i) && is_left_alone(lock, point))) continue;
      const std::string name = switch_text(functions_, i);
      trial_.findings.add(
          "locks", name + " decided",
          name + " is decided to be " + (locked ? "true" : "false") +
              (functions_.is_active(i) ? " where its function is " + to_text(g[i])
                                       : std::string(" though it does not matter")) +
              trial_.where(point));
    }
  }

  /// A relation that never matters (of a surface that the system slides on) may keep what it is told.
  bool is_left_alone(std::size_t lock, const TrialPoint& point) {
    const auto which = static_cast<std::uint32_t>(lock);
    const bool before = locks_.locks()[lock] != 0;
    locks_.set_lock(which, !before);
    const bool decided = static_cast<bool>(locks_.decide(trial_.t(), point.x, point.xdot));
    const bool kept = (locks_.locks()[lock] != 0) != before;
    locks_.set_lock(which, before);
    return decided && kept;
  }

  Truths branches_now() const {
    Truths truth(locks_.n_branches(), 2);
    locks_.branches(truth);
    return truth;
  }
  Truths active_now() const {
    Truths active;
    for (std::uint32_t i = 0; i < functions_.count(); ++i) {
      active.push_back(functions_.is_active(i) ? 1 : 0);
    }
    return active;
  }

  Trial& trial_;
  SwitchingFunctions& functions_;
  Locks& locks_;
  std::vector<std::uint32_t> relation_;  // the switch of each lock
};

}  // namespace

void check_locks(Trial& trial) {
  auto* locks = trial.workspace->ability<Locks>();
  if (locks == nullptr) return;
  auto* functions = trial.workspace->ability<SwitchingFunctions>();
  if (functions == nullptr) {
    trial.findings.add("locks", "", "there are locks, but no switching functions");
    return;
  }
  LocksCheck check(trial, *functions, *locks);
  if (!check.has_sizes()) return;
  for (const TrialPoint& point : trial.points) check.run(point);
}

}  // namespace saltus::detail
