#include <saltus/expr/substitute.hpp>

#include <unordered_map>

namespace saltus {

namespace {

class Substitution {
 public:
  Substitution(Graph& g, const Replacement& replacement) : g_(g), replacement_(replacement) {}

  /// Children first, by an explicit stack: expressions may be deep.
  NodeId operator()(NodeId root) {
    stack_.push_back(root);
    while (!stack_.empty()) {
      const NodeId id = stack_.back();
      if (done_.contains(id)) {
        stack_.pop_back();
        continue;
      }
      const std::size_t depth = stack_.size();
      g_.for_each_child(g_.node(id), [&](NodeId child) {
        if (!done_.contains(child)) stack_.push_back(child);
      });
      if (stack_.size() > depth) continue;
      done_.emplace(id, rebuilt(id));
      stack_.pop_back();
    }
    return done_.at(root);
  }

 private:
  NodeId of(NodeId child) const { return done_.at(child); }

  NodeId rebuilt(NodeId id) {
    const Node n = g_.node(id);
    if (n.op == Op::input) {
      const NodeId other = replacement_(g_, n.a);
      return other == none ? id : other;
    }
    bool same = true;
    g_.for_each_child(n, [&](NodeId child) { same = same && of(child) == child; });
    if (same) return id;
    if (carries_switch(n.op)) return chosen(n);
    if (is_elementary(n.op)) return g_.elementary(n.op, of(n.a));
    switch (n.op) {
      case Op::add:
        return g_.add(of(n.a), of(n.b));
      case Op::sub:
        return g_.sub(of(n.a), of(n.b));
      case Op::mul:
        return g_.mul(of(n.a), of(n.b));
      case Op::div:
        return g_.div(of(n.a), of(n.b));
      case Op::neg:
        return g_.neg(of(n.a));
      case Op::sqr:
        return g_.mul(of(n.a), of(n.a));
      case Op::powi:
        return g_.powi(of(n.a), static_cast<std::int32_t>(n.b));
      case Op::pow:
        return g_.pow(of(n.a), of(n.b));
      case Op::atan2:
        return g_.atan2(of(n.a), of(n.b));
      case Op::select:
        return g_.select(literal_of(n.c), of(n.a), of(n.b));
      case Op::take: {
        const std::vector<std::uint32_t> lanes = g_.table(n.b);
        const NodeId array = g_.broadcast(of(n.a), g_.lane_count(n.a));
        return g_.take(array, lanes);
      }
      case Op::sum:
        return g_.sum(g_.broadcast(of(n.a), g_.lane_count(n.a)));
      case Op::lanes: {
        std::vector<NodeId> scalars;
        for (const NodeId scalar : g_.table(n.a)) scalars.push_back(of(scalar));
        return g_.lanes(scalars);
      }
      case Op::external: {
        const ExternalCall call = g_.call(n.a);
        std::vector<NodeId> arguments;
        for (const NodeId argument : call.arguments) arguments.push_back(of(argument));
        return g_.external(call.function, arguments, n.b);
      }
      default:
        return id;  // leaves
    }
  }

  /// abs, sign, min and max on new operands, decided as before.
  NodeId chosen(const Node& n) {
    const NodeId a = of(n.a);
    const NodeId b = arity(n.op) == 2 ? of(n.b) : none;
    if (n.c == none) {
      switch (n.op) {
        case Op::abs:
          return g_.abs(a, Tracking::untracked);
        case Op::sign:
          return g_.sign(a, Tracking::untracked);
        case Op::min:
          return g_.min(a, b, Tracking::untracked);
        default:
          return g_.max(a, b, Tracking::untracked);
      }
    }
    const Literal positive = literal_of(n.c);
    switch (n.op) {
      case Op::abs:
        return g_.select(positive, a, g_.neg(a));
      case Op::sign:
        return g_.select(positive, g_.constant(1.0), g_.constant(-1.0));
      case Op::min:
        return g_.select(positive, b, a);
      default:
        return g_.select(positive, a, b);
    }
  }

  Graph& g_;
  const Replacement& replacement_;
  std::vector<NodeId> stack_;
  std::unordered_map<NodeId, NodeId> done_;
};

}  // namespace

std::vector<NodeId> substitute(Graph& g, std::span<const NodeId> nodes,
                               const Replacement& replacement) {
  Substitution substitution(g, replacement);
  std::vector<NodeId> replaced;
  for (const NodeId id : nodes) replaced.push_back(substitution(id));
  return replaced;
}

}  // namespace saltus
