// Ideal diodes and switches. A text writes a diode by a number s along its characteristic,
//
//   voltage = if s < 0 then s else 0;   current = if s < 0 then 0 else s;
//
// and a switch as 0 = if closed then voltage else current. Taken as they stand, the equations are singular in some
// combinations, at events on the way to the right one; declared as parts, the combination is found (docs/design/0013).
#include <algorithm>
#include <optional>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/when.hpp"

namespace saltus::modelica {

namespace {
/// What Model::build() can take; more of them stay equations.
constexpr std::size_t most_parts = 12;
}  // namespace

bool Builder::is_zero(ExprId id) const {
  return e_[id].kind == ExprKind::number && e_[id].number == 0;
}

/// E = if s < 0 then s else 0, or its mirror image: which s, and where it is s.
std::optional<Builder::Branched> Builder::branch_of_diode(const FlatEquation& q) const {
  if (q.environment != nullptr || e_[q.right].kind != ExprKind::if_else || e_[q.right].count != 3)
    return {};
  const auto parts = e_.children(q.right);
  // The condition may have a name.
  ExprId condition = parts[0];
  if (e_[condition].kind == ExprKind::name) {
    const auto defined = definitions_.find(symbols_.find(e_.name(condition)));
    if (defined == definitions_.end() || defined->second.size() != 1) return {};
    condition = flat_.equations[defined->second[0]].right;
  }
  if (e_[condition].kind != ExprKind::relation) return {};
  const auto sides = e_.children(condition);
  if (e_[sides[0]].kind != ExprKind::name || !is_zero(sides[1])) return {};
  const std::uint32_t s = symbols_.find(e_.name(sides[0]));
  if (s == SymbolTable::none || symbols_[s].size != 1 || symbols_[s].is_array() ||
      !can_be_explicit(symbols_[s]))
    return {};
  const auto is_s = [&](ExprId id) {
    return e_[id].kind == ExprKind::name && e_.name(id) == symbols_[s].name();
  };
  const auto op = static_cast<RelationOp>(e_[condition].op);
  const bool below_first = op == RelationOp::less || op == RelationOp::less_equal;
  if (!below_first && op != RelationOp::greater && op != RelationOp::greater_equal) return {};
  const ExprId below = parts[below_first ? 1 : 2], above = parts[below_first ? 2 : 1];
  bool mentions_s = false;
  translator_->for_each_symbol(q.left,
                               [&](std::uint32_t k, ExprId) { mentions_s = mentions_s || k == s; });
  if (mentions_s) return {};
  if (is_s(below) && is_zero(above)) return Branched{s, true};
  if (is_zero(below) && is_s(above)) return Branched{s, false};
  return {};
}

/// 0 = if closed then voltage else current, where closed changes at events only.
bool Builder::is_switch(const FlatEquation& q) const {
  if (q.environment != nullptr || !is_zero(q.left) || e_[q.right].kind != ExprKind::if_else ||
      e_[q.right].count != 3)
    return false;
  const ExprId condition = e_.children(q.right)[0];
  if (e_[condition].kind != ExprKind::name) return false;
  const std::uint32_t k = symbols_.find(e_.name(condition));
  return k != SymbolTable::none && symbols_[k].role == Role::discrete &&
         symbols_[k].type.type == Type::boolean && !symbols_[k].is_array();
}

void Builder::find_parts() {
  struct Pair {
    std::vector<std::size_t> voltages, currents;
  };
  std::map<std::uint32_t, Pair> pairs;
  for (std::size_t k = 0; k < flat_.equations.size(); ++k) {
    FlatEquation& q = flat_.equations[k];
    if (q.is_definition) continue;
    if (e_[q.left].kind == ExprKind::if_else || is_zero(q.right)) std::swap(q.left, q.right);
    if (const auto b = branch_of_diode(q))
      (b->is_voltage ? pairs[b->symbol].voltages : pairs[b->symbol].currents).push_back(k);
  }
  std::erase_if(pairs, [](const auto& entry) {
    return entry.second.voltages.size() != 1 || entry.second.currents.size() != 1;
  });
  if (pairs.empty() || pairs.size() > most_parts) return;
  std::vector<std::size_t> switches;
  for (std::size_t k = 0; k < flat_.equations.size(); ++k)
    if (!flat_.equations[k].is_definition && is_switch(flat_.equations[k])) switches.push_back(k);
  if (pairs.size() + switches.size() > most_parts) return;
  for (const auto& [symbol, pair] : pairs) {
    FlatEquation& voltage = flat_.equations[pair.voltages[0]];
    FlatEquation& current = flat_.equations[pair.currents[0]];
    parts_.push_back({symbols_[symbol].name(), voltage.left, current.left, no_expr, voltage.span});
    // One of the two is zero: s is their sum.
    const std::vector<ExprId> terms = {voltage.left, current.left};
    ExprNode sum;
    sum.kind = ExprKind::sum;
    sum.span = voltage.span;
    sum.extra = e_.add_signs(std::vector<std::uint8_t>{0, 0});
    voltage.left = name_expression(symbols_[symbol]);
    voltage.right = e_.add(sum, terms);
    current.is_definition = true;
  }
  for (const std::size_t k : switches) {
    FlatEquation& q = flat_.equations[k];
    const auto branches = e_.children(q.right);
    parts_.push_back({e_.name(branches[0]), branches[1], branches[2], branches[0], q.span});
    q.is_definition = true;
  }
}

void Builder::add_parts() {
  for (const Part& p : parts_) {
    attempt(p.span, [&] {
      const std::string name = unique_name(p.name, p.span, nullptr, part_names_);
      const Expr voltage = translator_->number(p.voltage), current = translator_->number(p.current);
      if (p.closed == no_expr) {
        result_.model->diode(name, voltage, current);
      } else {
        result_.model->ideal_switch(name, voltage, current,
                                    Cond(translator_->graph(), translator_->truth(p.closed)));
      }
    });
  }
}

}  // namespace saltus::modelica
