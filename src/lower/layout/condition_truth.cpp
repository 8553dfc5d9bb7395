#include "lower/layout/condition_truth.hpp"

#include <algorithm>

namespace saltus::detail {

namespace {

bool holds(double g, Test test) {
  switch (test) {
    case Test::positive:
      return g > 0;
    case Test::non_negative:
      return g >= 0;
    case Test::negative:
      return g < 0;
    case Test::non_positive:
      return g <= 0;
    case Test::zero:
      return g == 0;
  }
  return false;
}

std::uint8_t negated_if(std::uint8_t truth, bool negated) {
  return negated && truth != lock_undecided ? static_cast<std::uint8_t>(truth ^ 1U) : truth;
}

/// Kleene's and.
std::uint8_t both_of(std::uint8_t a, std::uint8_t b) {
  if (a == lock_false || b == lock_false) return lock_false;
  return a == lock_true && b == lock_true ? lock_true : lock_undecided;
}

}  // namespace

std::set<ConditionId> with_parts(const Graph& g, std::span<const ConditionId> conditions) {
  std::set<ConditionId> all;
  std::vector<ConditionId> stack(conditions.begin(), conditions.end());
  while (!stack.empty()) {
    const ConditionId id = stack.back();
    stack.pop_back();
    if (!all.insert(id).second) continue;
    const Condition& c = g.condition(id);
    if (c.kind != Condition::Kind::conjunction) continue;
    stack.push_back(condition_of(c.a));
    stack.push_back(condition_of(c.b));
  }
  return all;
}

ConditionPlan::ConditionPlan(const Graph& g, const Layout& layout,
                             std::span<const ConditionId> conditions) {
  std::vector<Output> held;
  std::uint32_t n_held = 0;
  for (const ConditionId id : with_parts(g, conditions)) {
    const Condition& c = g.condition(id);
    Item item;
    item.place = {size_, g.shape_length(c.shape)};
    places_.emplace(id, item.place);
    size_ += item.place.lanes;
    if (c.kind == Condition::Kind::conjunction) {
      item.kind = Item::Kind::both;
      const Place a = places_.at(condition_of(c.a)), b = places_.at(condition_of(c.b));
      item.a = literal_of(a.first, is_negated(c.a));
      item.b = literal_of(b.first, is_negated(c.b));
      item.step_a = a.lanes > 1 ? 1 : 0;
      item.step_b = b.lanes > 1 ? 1 : 0;
    } else if (c.kind == Condition::Kind::relation) {
      const Relation& r = g.relation(c.a);
      item.test = r.test;
      if (r.tracked()) {
        item.kind = Item::Kind::lock;
        item.a = r.first_switch;
      } else if (g.node(r.g).rate != Rate::varying) {
        item.kind = Item::Kind::held;
        item.a = n_held;
        held.push_back({.node = r.g, .first = n_held, .stride = 1, .lanes = item.place.lanes});
        n_held += item.place.lanes;
      } else {
        item.kind = Item::Kind::open;
      }
    }
    items_.push_back(item);
  }
  if (n_held > 0) held_ = gather(g, layout, held);
}

ConditionTruth::ConditionTruth(const ConditionPlan& plan)
    : plan_(plan), truth_(plan.size(), lock_undecided) {
  if (plan.held().program == nullptr) return;
  held_.emplace_back(plan.held().program);
  held_values_.assign(plan.held().program->n_outputs(), 0.0);
}

bool ConditionTruth::held_changed(std::span<const double> parameters,
                                  std::span<const double> discrete,
                                  std::span<const double> previous) {
  if (held_.empty()) return false;
  const GatheredProgram& p = plan_.held();
  const auto load = [&](std::size_t argument, std::span<const std::uint32_t> numbers,
                        std::span<const double> values) {
    const std::span<double> to = held_.front().input(argument);
    for (std::size_t k = 0; k < numbers.size(); ++k) to[k] = values[numbers[k]];
  };
  load(GatheredProgram::parameters, p.parameter_numbers, parameters);
  load(GatheredProgram::discrete, p.discrete_numbers, discrete);
  load(GatheredProgram::previous, p.previous_numbers, previous);
  held_.front().run();
  const std::span<const double> now = held_.front().outputs();
  if (std::equal(now.begin(), now.end(), held_values_.begin())) return false;
  std::copy(now.begin(), now.end(), held_values_.begin());
  return true;
}

void ConditionTruth::refresh(const LockBoard& board, std::span<const double> parameters,
                             std::span<const double> discrete, std::span<const double> previous) {
  const bool changed = held_changed(parameters, discrete, previous);
  if (!changed && seen_ == board.version()) return;
  seen_ = board.version();
  using Kind = ConditionPlan::Item::Kind;
  for (const ConditionPlan::Item& item : plan_.items_) {
    for (std::uint32_t lane = 0; lane < item.place.lanes; ++lane) {
      const auto literal = [&](Literal l, std::uint32_t step) {
        return negated_if(truth_[condition_of(l) + step * lane], is_negated(l));
      };
      std::uint8_t truth = lock_undecided;
      if (item.kind == Kind::always) truth = lock_true;
      if (item.kind == Kind::lock) truth = board[item.a + lane];
      if (item.kind == Kind::held) truth = holds(held_values_[item.a + lane], item.test);
      if (item.kind == Kind::both) {
        truth = both_of(literal(item.a, item.step_a), literal(item.b, item.step_b));
      }
      truth_[item.place.first + lane] = truth;
    }
  }
}

}  // namespace saltus::detail
