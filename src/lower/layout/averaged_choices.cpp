#include "lower/layout/averaged_choices.hpp"

#include <algorithm>
#include <vector>

#include "lower/layout/condition_truth.hpp"

namespace saltus::detail {

namespace {

/// How a value depends on what the relation chooses.
enum class Dependence : std::uint8_t { none, affine, other };

bool is_decided_by(const Graph& graph, ConditionId root, std::uint32_t relation) {
  return std::ranges::any_of(with_parts(graph, std::span(&root, 1)), [&](ConditionId part) {
    const Condition& c = graph.condition(part);
    return c.kind == Condition::Kind::relation && c.a == relation;
  });
}

class Dependences {
 public:
  Dependences(const Graph& graph, const ChoiceOf& choice)
      : graph_(graph), choice_(choice), of_(graph.size(), Dependence::none) {}

  /// Of a node whose children are known.
  void add(NodeId id) {
    const Node& n = graph_.node(id);
    const ConditionId c = Graph::deciding_condition(n);
    const bool counts = (c != saltus::none && is_decided_by(graph_, c, choice_.relation)) ||
                        (choice_.and_derivatives && is_derivative(n));
    of_[id] = counts ? Dependence::affine : of_operation(n);
  }
  Dependence operator[](NodeId id) const { return of_[id]; }

 private:
  bool is_derivative(const Node& n) const {
    return n.op == Op::input && graph_.input(n.a).order > 0;
  }

  Dependence of_operation(const Node& n) const {
    Dependence most = Dependence::none;
    graph_.for_each_child(n, [&](NodeId child) { most = std::max(most, of_[child]); });
    if (most != Dependence::affine) return most;
    switch (n.op) {
      case Op::lanes:
      case Op::add:
      case Op::sub:
      case Op::neg:
      case Op::select:
      case Op::abs:
      case Op::min:
      case Op::max:
      case Op::take:
      case Op::sum:
        return Dependence::affine;
      case Op::sign:
        return Dependence::none;
      case Op::mul:
        return of_[n.a] == Dependence::none || of_[n.b] == Dependence::none ? Dependence::affine
                                                                            : Dependence::other;
      case Op::div:
        return of_[n.b] == Dependence::none ? Dependence::affine : Dependence::other;
      default:
        return Dependence::other;
    }
  }

  const Graph& graph_;
  ChoiceOf choice_;
  std::vector<Dependence> of_;
};

}  // namespace

std::optional<std::size_t> first_not_averaged(const Graph& graph, std::span<const NodeId> nodes,
                                              const ChoiceOf& choice) {
  std::vector<std::uint8_t> needed(graph.size(), 0);
  for (const NodeId id : nodes) needed[id] = 1;
  for (NodeId id = static_cast<NodeId>(graph.size()); id-- > 0;) {
    if (needed[id] == 0) continue;
    graph.for_each_child(graph.node(id), [&](NodeId child) { needed[child] = 1; });
  }
  Dependences dependences(graph, choice);
  for (NodeId id = 0; id < graph.size(); ++id)
    if (needed[id] != 0) dependences.add(id);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (dependences[nodes[k]] == Dependence::other) return k;
  return std::nullopt;
}

}  // namespace saltus::detail
