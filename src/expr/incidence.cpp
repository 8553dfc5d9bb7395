#include <saltus/expr/incidence.hpp>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "checks.hpp"
#include "truth.hpp"

namespace saltus {

namespace {

/// Walks the lanes of expressions; (node, lane) pairs because an array leaf is another input in
/// every lane.
class Walker {
 public:
  Walker(const Graph& g, std::span<const std::uint8_t> locks)
      : g_(g), truth_(g, locks), stamp_(g.size(), none) {}

  void row(NodeId root, std::uint32_t lane, Incidence& out) {
    ++round_;
    seen_.clear();
    const auto first = static_cast<std::ptrdiff_t>(out.inputs.size());
    push(root, lane);
    while (!stack_.empty()) {
      const auto [id, at] = stack_.back();
      stack_.pop_back();
      visit(id, at, out);
    }
    auto order = [](const Input& a, const Input& b) {
      return std::tie(a.kind, a.index, a.order) < std::tie(b.kind, b.index, b.order);
    };
    std::sort(out.inputs.begin() + first, out.inputs.end(), order);
    out.inputs.erase(std::unique(out.inputs.begin() + first, out.inputs.end()), out.inputs.end());
    out.row_start.push_back(static_cast<std::uint32_t>(out.inputs.size()));
  }

 private:
  void push(NodeId id, std::uint32_t lane) {
    // Once per row. Arrays may be needed at several lanes (take, sum).
    if (!g_.is_array(id)) {
      if (stamp_[id] == round_) return;
      stamp_[id] = round_;
      lane = 0;
    } else if (!seen_.insert((std::uint64_t{id} << 32) | lane).second) {
      return;
    }
    stack_.emplace_back(id, lane);
  }

  void visit(NodeId id, std::uint32_t lane, Incidence& out) {
    const Node& n = g_.node(id);
    switch (n.op) {
      case Op::constant:
        return;
      case Op::input:
        out.inputs.push_back(g_.input(n.a));
        return;
      case Op::lanes:
        return push(g_.table(n.a)[lane], 0);
      case Op::take:
        return push(n.a, g_.table(n.b)[lane]);
      case Op::sum:
        for (std::uint32_t j = 0; j < g_.lane_count(n.a); ++j) push(n.a, j);
        return;
      case Op::sign:
        if (n.c != none) return;  // a locked sign is a constant
        return push(n.a, lane);
      case Op::select:
      case Op::min:
      case Op::max: {
        const std::uint8_t m = n.c == none ? lock_undecided : truth_(literal_of(n.c), lane);
        const bool first_live = n.op == Op::min ? m != lock_true : m != lock_false;
        const bool second_live = n.op == Op::min ? m != lock_false : m != lock_true;
        if (first_live) push(n.a, lane);
        if (second_live) push(n.b, lane);
        return;
      }
      default:
        g_.for_each_child(n, [&](NodeId child) { push(child, lane); });
    }
  }

  const Graph& g_;
  TruthUnderLocks truth_;
  std::vector<std::uint32_t> stamp_;
  std::unordered_set<std::uint64_t> seen_;
  std::uint32_t round_ = 0;
  std::vector<std::pair<NodeId, std::uint32_t>> stack_;
};

}  // namespace

Incidence incidence(const Graph& g, std::span<const NodeId> rows,
                    std::span<const std::uint8_t> locks) {
  Incidence out;
  Walker walker(g, locks);
  for (NodeId id : rows) {
    check_node(g, id);
    for (std::uint32_t lane = 0; lane < g.lane_count(id); ++lane) walker.row(id, lane, out);
  }
  return out;
}

Incidence incidence(const Graph& g, std::span<const NodeId> rows) { return incidence(g, rows, {}); }

}  // namespace saltus
