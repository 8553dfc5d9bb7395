// The truth of conditions under locks and held values.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include <saltus/expr/evaluator.hpp>

#include "lower/layout/gathered_program.hpp"
#include "lower/layout/lock_board.hpp"

namespace saltus::detail {

/// Conditions with all their parts; numbers grow from parts to wholes.
std::set<ConditionId> with_parts(const Graph& graph, std::span<const ConditionId> conditions);

/// Conditions and what they are made of, in an order in which each comes after its parts.
class ConditionPlan {
 public:
  ConditionPlan(const Graph& graph, const Layout& layout, std::span<const ConditionId> conditions);

  /// Where the lanes of a condition are.
  struct Place {
    std::uint32_t first = 0;
    std::uint32_t lanes = 1;
  };
  Place place_of(ConditionId condition) const { return places_.at(condition); }
  std::uint32_t size() const { return size_; }
  /// Switching functions of relations between held values; null if there are none.
  const GatheredProgram& held() const { return held_; }

 private:
  friend class ConditionTruth;
  struct Item {
    enum class Kind : std::uint8_t {
      always,
      lock,  // a: the first switch
      held,  // a: the first output of the program
      open,  // decided in place at every evaluation
      both,  // a, b: literals whose condition is a place, scalar or as long as this
    };
    Kind kind = Kind::always;
    Place place;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t step_a = 0;
    std::uint32_t step_b = 0;
    Test test = Test::positive;
  };

  std::unordered_map<ConditionId, Place> places_;
  std::vector<Item> items_;
  std::uint32_t size_ = 0;
  GatheredProgram held_;
};

/// A condition that must hold, or must not.
struct PlacedLiteral {
  ConditionPlan::Place place;
  bool negated = false;
};

/// Three-valued: what depends on a relation that is decided in place all the time is undecided.
class ConditionTruth {
 public:
  explicit ConditionTruth(const ConditionPlan& plan);

  /// Looks again if locks or held values may have changed since.
  void refresh(const LockBoard& board, std::span<const double> parameters,
               std::span<const double> discrete, std::span<const double> previous);
  /// Whether that would change nothing, as far as the locks tell.
  bool is_of(const LockBoard& board) const { return held_.empty() && seen_ == board.version(); }
  std::uint8_t operator()(ConditionPlan::Place place, std::uint32_t lane) const {
    return truth_[place.first + (place.lanes > 1 ? lane : 0)];
  }
  /// Whether all may hold.
  bool all_hold(std::span<const PlacedLiteral> literals, std::uint32_t lane) const {
    for (const PlacedLiteral& l : literals) {
      const std::uint8_t truth = (*this)(l.place, lane);
      if (truth != lock_undecided && (truth == lock_true) == l.negated) return false;
    }
    return true;
  }

 private:
  bool held_changed(std::span<const double> parameters, std::span<const double> discrete,
                    std::span<const double> previous);

  const ConditionPlan& plan_;
  std::vector<std::uint8_t> truth_;
  std::vector<Evaluator<double>> held_;  // one or none
  std::vector<double> held_values_;
  std::uint64_t seen_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace saltus::detail
