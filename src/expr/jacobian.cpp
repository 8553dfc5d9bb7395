// Sparse Jacobians by backward sweeps between cuts.
#include <algorithm>
#include <map>

#include <saltus/core/error.hpp>

#include "checks.hpp"
#include "cuts.hpp"
#include "pullback.hpp"

namespace saltus {

namespace {

/// A part of a gradient: value * d(key). The key is an input or an array of scalars (`lanes`).
/// For a scalar with an array key the lanes add up: sum_j value_j d(key_j).
struct Term {
  NodeId key;
  NodeId value;
};
using Terms = std::vector<Term>;

/// An adjoint: `value` where `where` holds, zero elsewhere. A value read only inside branches has an
/// adjoint that vanishes outside them; keeping the condition apart from the value means that nothing
/// is ever multiplied with a zero from a branch not taken, and that long else-if chains stay linear.
struct Adjoint {
  NodeId value = none;
  Literal where = literal_true;
};

class Sweeper {
 public:
  Sweeper(Graph& g, std::span<const NodeId> rows, const ColumnDependence& d,
          const DerivativeOptions& options)
      : g_(g),
        d_(d),
        rule_(options.rule),
        is_cut_(choose_cuts(g, rows, d, options.sweep)),
        gradients_(d.needed.size()),
        adjoint_(d.needed.size()),
        stamp_(d.needed.size(), 0) {
    for (NodeId id = 0; id < is_cut_.size(); ++id)
      if (is_cut_[id] != 0) gradients_[id] = resolve(id, sweep(id));
  }

  /// The gradient of a row or cut in inputs and arrays of inputs.
  Terms gradient(NodeId id) {
    if (d_.depends[id] == 0) return {};
    if (is_cut_[id] != 0) return gradients_[id];
    return resolve(id, sweep(id));
  }

 private:
  bool is_leaf(NodeId id, NodeId root) const {
    const Op op = g_.node(id).op;
    if (op == Op::input || op == Op::lanes || op == Op::take) return true;
    return id != root && is_cut_[id] != 0;
  }

  /// Backward from the root to inputs, array leaves and cuts. Nodes made on the way are never met:
  /// the sweep works on the graph as it was.
  std::vector<std::pair<NodeId, Adjoint>> sweep(NodeId root) {
    ++round_;  // a row may occur twice
    region_.assign(1, root);
    stamp_[root] = round_;
    for (std::size_t i = 0; i < region_.size(); ++i) {
      const NodeId id = region_[i];
      adjoint_[id] = {};
      if (is_leaf(id, root)) continue;
      g_.for_each_child(g_.node(id), [&](NodeId c) {
        if (d_.depends[c] == 0 || stamp_[c] == round_) return;
        stamp_[c] = round_;
        region_.push_back(c);
      });
    }
    std::sort(region_.begin(), region_.end(), std::greater<>());
    adjoint_[root] = {g_.constant(1.0), literal_true};
    std::vector<std::pair<NodeId, Adjoint>> leaves;
    for (const NodeId id : region_) {
      const Adjoint w = adjoint_[id];
      if (w.value == none || g_.is_constant(w.value, 0.0)) continue;
      if (is_leaf(id, root)) {
        leaves.emplace_back(id, w);
      } else {
        push_down(id, w, root);
      }
    }
    return leaves;
  }

  void push_down(NodeId id, const Adjoint& w, NodeId root) {
    const Node n = g_.node(id);
    if (n.op == Op::sum) return accumulate(n.a, w);
    for (std::uint32_t k = 0; k < operand_count(g_, n); ++k) {
      const NodeId c = operand(g_, n, k);
      if (d_.depends[c] == 0) continue;
      Adjoint v = pull_guarded(id, k, w);
      // A scalar inside an array below a sum is read by every lane.
      if (g_.is_array(id) && !g_.is_array(c) && !g_.is_array(root))
        v = {over_lanes(plain(v), g_.lane_count(id)), literal_true};
      accumulate(c, v);
    }
  }

  /// The rule of an operation; a branch narrows the condition instead of the value (theory, E.3).
  Adjoint pull_guarded(NodeId id, std::uint32_t which, const Adjoint& w) {
    if (const Literal live = live_branch(g_, id, which); live != literal_true)
      return {w.value, g_.conjunction(w.where, live)};
    return {pull(g_, id, which, w.value, rule_), w.where};
  }

  /// Two adjoints that meet: reached if either is (theory, E.4).
  void accumulate(NodeId id, const Adjoint& v) {
    Adjoint& sum = adjoint_[id];
    if (sum.value == none) {
      sum = v;
    } else if (sum.where == v.where) {
      sum.value = g_.add(sum.value, v.value);
    } else {
      const NodeId both = g_.add(plain(sum), plain(v));
      sum = {both, g_.disjunction(sum.where, v.where)};
    }
  }

  NodeId plain(const Adjoint& w) { return g_.select(w.where, w.value, g_.constant(0.0)); }

  NodeId over_lanes(NodeId v, std::uint32_t n) {
    return g_.is_array(v) ? g_.sum(v) : g_.mul(g_.constant(n), v);
  }

  /// Replaces cuts and taken lanes by what they depend on.
  Terms resolve(NodeId root, const std::vector<std::pair<NodeId, Adjoint>>& leaves) {
    std::map<NodeId, NodeId> merged;
    for (const auto& [key, w] : leaves) {
      const Node n = g_.node(key);
      if (n.op == Op::input || n.op == Op::lanes) {
        put(merged, key, plain(w));
      } else if (n.op == Op::take) {
        const std::vector<std::uint32_t> which = g_.table(n.b);
        auto taken = [&](NodeId id) { return g_.is_array(id) ? g_.take(id, which) : id; };
        for (const Term& below : gradient_of_array(n.a))
          compose(root, key, w, {taken(below.key), taken(below.value)}, merged);
      } else {
        for (const Term& below : gradients_[key]) compose(root, key, w, below, merged);
      }
    }
    Terms terms;
    for (const auto& [key, value] : merged) terms.push_back({key, value});
    return terms;
  }

  void put(std::map<NodeId, NodeId>& merged, NodeId key, NodeId value) {
    if (g_.is_constant(value, 0.0)) return;
    const auto [it, is_new] = merged.try_emplace(key, value);
    if (!is_new) it->second = g_.add(it->second, value);
  }

  /// The chain rule over one leaf of a sweep: w d(leaf) with d(leaf) = below.
  void compose(NodeId root, NodeId leaf, const Adjoint& w, const Term& below,
               std::map<NodeId, NodeId>& merged) {
    const bool row_per_lane = g_.is_array(root);
    const bool leaf_is_array = g_.is_array(leaf);
    if (row_per_lane && !leaf_is_array && g_.is_array(below.key)) {
      // Every lane of the root depends on every lane below a sum.
      const std::vector<NodeId> elements = g_.table(g_.node(below.key).a);
      for (std::uint32_t j = 0; j < elements.size(); ++j) {
        const Adjoint v{g_.mul(w.value, g_.lane(below.value, j)), w.where};
        if (d_.is_column(elements[j])) {
          put(merged, elements[j], plain(v));
        } else if (d_.depends_on_column(elements[j])) {
          for (const Term& deeper : gradients_[elements[j]]) compose(root, leaf, v, deeper, merged);
        }
      }
      return;
    }
    NodeId v = plain({g_.mul(w.value, below.value), w.where});
    // Below a sum every lane of the leaf adds to the one column of a scalar variable.
    if (!row_per_lane && leaf_is_array && !g_.is_array(below.key))
      v = over_lanes(v, g_.lane_count(leaf));
    put(merged, below.key, v);
  }

  /// Of an array that lanes are taken from: a leaf is its own gradient.
  Terms gradient_of_array(NodeId id) {
    if (g_.node(id).op == Op::lanes) return {{id, g_.constant(1.0)}};
    return gradients_[id];
  }

  Graph& g_;
  const ColumnDependence& d_;
  ElementaryRule rule_;
  std::vector<std::uint8_t> is_cut_;
  std::vector<Terms> gradients_;  // of cuts
  std::vector<Adjoint> adjoint_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t round_ = 0;
  std::vector<NodeId> region_;
};

/// Collects entries row by row, then finds their places.
class Assembler {
 public:
  Assembler(Graph& g, const ColumnDependence& d, Sweeper& sweeper)
      : g_(g), d_(d), sweeper_(sweeper) {}

  void add_rows(NodeId node, index_t first_row) {
    const std::uint32_t n_rows = g_.lane_count(node);
    for (const Term& t : sweeper_.gradient(node)) {
      if (g_.is_array(t.key)) {
        add_array_key(t, first_row, g_.is_array(node));
      } else {
        begin_block(t.value);
        for (std::uint32_t j = 0; j < n_rows; ++j)
          add(first_row + static_cast<index_t>(j), column(t.key), g_.is_array(t.value) ? j : 0);
      }
    }
  }

  Jacobian finish(index_t n_rows, index_t n_cols) {
    const CscAssembly a = assemble(n_rows, n_cols, rows_, cols_);
    Jacobian out;
    out.pattern = a.pattern;
    merge_duplicates(a, out);
    for (std::size_t b = 0; b < blocks_.size(); ++b) write_block(b, a, out);
    return out;
  }

 private:
  static constexpr std::uint32_t merged = none;

  index_t column(NodeId input) const { return static_cast<index_t>(d_.column[input]); }

  void begin_block(NodeId value) {
    blocks_.push_back({value, static_cast<std::uint32_t>(rows_.size())});
  }
  void add(index_t row, index_t col, std::uint32_t lane) {
    rows_.push_back(row);
    cols_.push_back(col);
    lanes_.push_back(lane);
  }

  void add_array_key(const Term& t, index_t first_row, bool row_per_lane) {
    const std::vector<NodeId> keys = g_.table(g_.node(t.key).a);
    begin_block(t.value);
    for (std::uint32_t j = 0; j < keys.size(); ++j)
      if (d_.is_column(keys[j])) add(row_of(first_row, j, row_per_lane), column(keys[j]), j);
    // Elements that are computed scalars contribute by their own gradients.
    for (std::uint32_t j = 0; j < keys.size(); ++j) {
      if (d_.is_column(keys[j]) || !d_.depends_on_column(keys[j])) continue;
      const NodeId w = g_.lane(t.value, j);
      for (const Term& below : sweeper_.gradient(keys[j])) {
        const NodeId v = g_.mul(w, below.value);
        if (g_.is_array(below.key)) {
          add_array_key({below.key, v}, row_of(first_row, j, row_per_lane), false);
        } else {
          begin_block(v);
          add(row_of(first_row, j, row_per_lane), column(below.key), 0);
        }
      }
    }
  }

  static index_t row_of(index_t first, std::uint32_t lane, bool row_per_lane) {
    return row_per_lane ? first + static_cast<index_t>(lane) : first;
  }

  std::uint32_t block_end(std::size_t b) const {
    return b + 1 < blocks_.size() ? blocks_[b + 1].first : static_cast<std::uint32_t>(rows_.size());
  }

  /// Entries that meet in one slot are added, all those from the same blocks in one array operation.
  void merge_duplicates(const CscAssembly& a, Jacobian& out) {
    std::vector<std::uint32_t> count(static_cast<std::size_t>(a.pattern.nnz()), 0);
    for (index_t s : a.slot) ++count[static_cast<std::size_t>(s)];
    if (std::all_of(count.begin(), count.end(), [](std::uint32_t c) { return c == 1; })) return;

    using Place = std::pair<std::uint32_t, std::uint32_t>;  // block, triplet
    std::map<index_t, std::vector<Place>> meeting;
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
      for (std::uint32_t k = blocks_[b].first; k < block_end(b); ++k)
        if (count[static_cast<std::size_t>(a.slot[k])] > 1) meeting[a.slot[k]].push_back({b, k});
    std::map<std::vector<std::uint32_t>, std::vector<index_t>> groups;  // blocks -> slots
    for (const auto& [slot, places] : meeting) {
      std::vector<std::uint32_t> signature;
      for (const Place& p : places) signature.push_back(p.first);
      groups[signature].push_back(slot);
    }
    for (const auto& [signature, slots] : groups) {
      NodeId value = g_.constant(0.0);
      for (std::size_t i = 0; i < signature.size(); ++i) {
        NodeId part = blocks_[signature[i]].value;
        if (g_.is_array(part)) {
          std::vector<std::uint32_t> which;
          for (index_t slot : slots) which.push_back(lanes_[meeting[slot][i].second]);
          part = slots.size() == 1 ? g_.lane(part, which[0]) : g_.take(part, std::move(which));
        }
        value = g_.add(value, part);
      }
      for (index_t slot : slots)
        for (const Place& p : meeting[slot]) lanes_[p.second] = merged;
      put(value, {slots.begin(), slots.end()}, out);
    }
  }

  void write_block(std::size_t b, const CscAssembly& a, Jacobian& out) {
    const NodeId value = blocks_[b].value;
    std::vector<std::uint32_t> slots;
    if (g_.is_array(value)) slots.assign(g_.lane_count(value), none);
    bool any = false;
    for (std::uint32_t k = blocks_[b].first; k < block_end(b); ++k) {
      if (lanes_[k] == merged) continue;
      any = true;
      const auto slot = static_cast<std::uint32_t>(a.slot[k]);
      if (g_.is_array(value)) {
        slots[lanes_[k]] = slot;
      } else {
        slots.push_back(slot);
      }
    }
    if (any) put(value, std::move(slots), out);
  }

  static void put(NodeId value, std::vector<std::uint32_t> slots, Jacobian& out) {
    Output o{.node = value, .lanes = static_cast<std::uint32_t>(slots.size())};
    if (slots.size() == 1) {
      o.first = slots[0];
    } else {
      o.slots = std::move(slots);
    }
    out.entries.push_back(std::move(o));
  }

  struct Block {
    NodeId value;
    std::uint32_t first;  // triplet
  };
  Graph& g_;
  const ColumnDependence& d_;
  Sweeper& sweeper_;
  std::vector<Block> blocks_;
  std::vector<index_t> rows_;
  std::vector<index_t> cols_;
  std::vector<std::uint32_t> lanes_;
};

}  // namespace

Jacobian jacobian(Graph& g, std::span<const NodeId> rows, std::span<const InputRange> columns,
                  const DerivativeOptions& options) {
  for (NodeId id : rows) check_node(g, id);
  for (const InputRange& range : columns) check_range(g, range);
  const ColumnDependence d = find_dependence(g, rows, columns);
  Sweeper sweeper(g, rows, d, options);
  Assembler assembler(g, d, sweeper);
  index_t row = 0;
  for (NodeId id : rows) {
    assembler.add_rows(id, row);
    row += static_cast<index_t>(g.lane_count(id));
  }
  std::uint32_t n_cols = 0;
  for (const InputRange& range : columns) n_cols += range.count;
  return assembler.finish(row, static_cast<index_t>(n_cols));
}

}  // namespace saltus
