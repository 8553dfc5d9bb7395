// Sparse Jacobians by backward sweeps between cuts.
#include <algorithm>
#include <map>

#include <saltus/core/error.hpp>

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

class Sweeper {
 public:
  Sweeper(Graph& g, std::span<const NodeId> rows, const Dependence& d,
          const DerivativeOptions& options)
      : g_(g),
        d_(d),
        rule_(options.rule),
        is_cut_(choose_cuts(g, rows, d, options.sweep)),
        gradients_(d.needed.size()),
        adjoint_(d.needed.size(), none),
        stamp_(d.needed.size(), none) {
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
  Terms sweep(NodeId root) {
    region_.clear();
    region_.push_back(root);
    stamp_[root] = root;
    for (std::size_t i = 0; i < region_.size(); ++i) {
      const NodeId id = region_[i];
      adjoint_[id] = none;
      if (is_leaf(id, root)) continue;
      g_.for_each_child(g_.node(id), [&](NodeId c) {
        if (d_.depends[c] == 0 || stamp_[c] == root) return;
        stamp_[c] = root;
        region_.push_back(c);
      });
    }
    std::sort(region_.begin(), region_.end(), std::greater<>());
    adjoint_[root] = g_.constant(1.0);
    Terms terms;
    for (const NodeId id : region_) {
      const NodeId w = adjoint_[id];
      if (w == none || g_.is_constant(w, 0.0)) continue;
      if (is_leaf(id, root)) {
        terms.push_back({id, w});
      } else {
        push_down(id, w, root);
      }
    }
    return terms;
  }

  void push_down(NodeId id, NodeId w, NodeId root) {
    const Node n = g_.node(id);
    if (n.op == Op::sum) return accumulate(n.a, w);
    for (std::uint32_t k = 0; k < operand_count(g_, n); ++k) {
      const NodeId c = operand(g_, n, k);
      if (d_.depends[c] == 0) continue;
      NodeId v = pull(g_, id, k, w, rule_);
      // A scalar inside an array below a sum is read by every lane.
      const bool repeated = g_.is_array(id) && !g_.is_array(c) && !g_.is_array(root);
      if (repeated) v = g_.is_array(v) ? g_.sum(v) : g_.mul(g_.constant(g_.lane_count(id)), v);
      accumulate(c, v);
    }
  }

  /// A value read in two branches only is reached if either is taken. Their adjoints each vanish in
  /// one branch, their sum in neither's complement: it is put under the disjunction, so that what it
  /// is multiplied with later is not evaluated where the value is undefined.
  void accumulate(NodeId id, NodeId v) {
    NodeId& adjoint = adjoint_[id];
    if (adjoint == none) {
      adjoint = v;
      return;
    }
    const Literal here = g_.support(adjoint);
    const Literal there = g_.support(v);
    const NodeId both = g_.add(adjoint, v);
    const bool guarded = here != literal_true && there != literal_true && here != there;
    adjoint = guarded ? g_.select(g_.disjunction(here, there), both, g_.constant(0.0)) : both;
  }

  /// Replaces cuts and taken lanes by what they depend on.
  Terms resolve(NodeId root, const Terms& raw) {
    const bool rows_are_lanes = g_.is_array(root);
    std::map<NodeId, NodeId> merged;
    auto put = [&](NodeId key, NodeId value) {
      if (g_.is_constant(value, 0.0)) return;
      const auto [it, is_new] = merged.try_emplace(key, value);
      if (!is_new) it->second = g_.add(it->second, value);
    };
    for (const Term& t : raw) {
      const Node n = g_.node(t.key);
      if (n.op == Op::input || n.op == Op::lanes) {
        put(t.key, t.value);
      } else if (n.op == Op::take) {
        for (const Term& below : gradient_of_array(n.a)) {
          const NodeId key = g_.is_array(below.key) ? g_.take(below.key, g_.table(n.b)) : below.key;
          const NodeId value =
              g_.is_array(below.value) ? g_.take(below.value, g_.table(n.b)) : below.value;
          NodeId v = g_.mul(t.value, value);
          // Below a sum every lane adds to the one column of a scalar variable.
          if (!g_.is_array(key) && !rows_are_lanes)
            v = g_.is_array(v) ? g_.sum(v) : g_.mul(g_.constant(g_.lane_count(t.key)), v);
          put(key, v);
        }
      } else {
        for (const Term& below : gradients_[t.key]) {
          if (rows_are_lanes && g_.is_array(below.key)) {
            // Every lane of the root depends on every lane below the sum.
            for (std::uint32_t j = 0; j < g_.lane_count(below.key); ++j)
              put(g_.lane(below.key, j), g_.mul(t.value, g_.lane(below.value, j)));
          } else {
            put(below.key, g_.mul(t.value, below.value));
          }
        }
      }
    }
    Terms terms;
    for (const auto& [key, value] : merged) terms.push_back({key, value});
    return terms;
  }

  /// Of an array that lanes are taken from: a leaf is its own gradient.
  Terms gradient_of_array(NodeId id) {
    if (g_.node(id).op == Op::lanes) return {{id, g_.constant(1.0)}};
    return gradients_[id];
  }

  Graph& g_;
  const Dependence& d_;
  ElementaryRule rule_;
  std::vector<std::uint8_t> is_cut_;
  std::vector<Terms> gradients_;  // of cuts
  std::vector<NodeId> adjoint_;
  std::vector<NodeId> stamp_;
  std::vector<NodeId> region_;
};

/// Collects entries row by row, then finds their places.
class Assembler {
 public:
  Assembler(Graph& g, const Dependence& d, Sweeper& sweeper) : g_(g), d_(d), sweeper_(sweeper) {}

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
      if (is_column(keys[j])) add(row_of(first_row, j, row_per_lane), column(keys[j]), j);
    // Elements that are computed scalars contribute by their own gradients.
    for (std::uint32_t j = 0; j < keys.size(); ++j) {
      if (is_column(keys[j]) || !depends(keys[j])) continue;
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
  bool depends(NodeId id) const { return id < d_.depends.size() && d_.depends[id] != 0; }
  bool is_column(NodeId id) const { return id < d_.column.size() && d_.column[id] != none; }

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
  const Dependence& d_;
  Sweeper& sweeper_;
  std::vector<Block> blocks_;
  std::vector<index_t> rows_;
  std::vector<index_t> cols_;
  std::vector<std::uint32_t> lanes_;
};

}  // namespace

Jacobian jacobian(Graph& g, std::span<const NodeId> rows, std::span<const InputRange> columns,
                  const DerivativeOptions& options) {
  const Dependence d = find_dependence(g, rows, columns);
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
