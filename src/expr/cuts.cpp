#include "cuts.hpp"

#include <algorithm>

namespace saltus {

ColumnDependence find_dependence(const Graph& g, std::span<const NodeId> rows,
                                 std::span<const InputRange> columns) {
  NodeId end = 0;
  for (NodeId id : rows) end = std::max(end, id + 1);
  ColumnDependence d{std::vector<std::uint8_t>(end, 0), std::vector<std::uint8_t>(end, 0),
                     std::vector<std::uint32_t>(end, none)};
  for (NodeId id : rows) d.needed[id] = 1;
  for (NodeId id = end; id-- > 0;)
    if (d.needed[id] != 0) g.for_each_child(g.node(id), [&](NodeId c) { d.needed[c] = 1; });
  std::uint32_t column = 0;
  for (const InputRange& range : columns) {
    for (std::uint32_t i = 0; i < range.count; ++i, ++column) {
      const NodeId id = g.find_input(range.kind, range.first + i, range.order);
      if (id >= end || d.needed[id] == 0) continue;
      d.depends[id] = 1;
      d.column[id] = column;
    }
  }
  for (NodeId id = 0; id < end; ++id) {
    if (d.needed[id] == 0) continue;
    g.for_each_child(g.node(id), [&](NodeId c) { d.depends[id] |= d.depends[c]; });
  }
  return d;
}

namespace {

constexpr std::uint32_t shared = none - 1;
/// Up to this many variables below a root are counted exactly; beyond, their sum bounds them.
constexpr std::size_t most_counted = 512;

class CutChooser {
 public:
  CutChooser(const Graph& g, std::span<const NodeId> rows, const ColumnDependence& d)
      : g_(g),
        rows_(rows),
        d_(d),
        end_(static_cast<NodeId>(d.needed.size())),
        owner_(end_, none),
        is_row_(end_, 0),
        is_cut_(end_, 0),
        n_columns_(static_cast<double>(std::count_if(d.column.begin(), d.column.end(),
                                                     [](std::uint32_t c) { return c != none; }))) {
    for (NodeId id : rows) is_row_[id] = 1;
  }

  std::vector<std::uint8_t> run() {
    find_owners();
    count_regions();
    decide();
    return std::move(is_cut_);
  }

 private:
  bool is_operation(NodeId id) const {
    return d_.needed[id] != 0 && d_.depends[id] != 0 && !g_.is_array(id) &&
           g_.node(id).op != Op::input;
  }

  /// Descending: a value read by one region belongs to it, one read by several is a root.
  void find_owners() {
    for (NodeId id = end_; id-- > 0;) {
      if (!is_operation(id)) continue;
      if (is_row_[id] != 0 || owner_[id] == shared) owner_[id] = id;
      g_.for_each_child(g_.node(id), [&](NodeId c) {
        if (!is_operation(c)) return;
        if (owner_[c] == none) {
          owner_[c] = owner_[id];
        } else if (owner_[c] != owner_[id]) {
          owner_[c] = shared;
        }
      });
    }
  }

  bool is_root(NodeId id) const { return owner_[id] == id; }

  void count_regions() {
    size_.assign(end_, 0);
    variables_.resize(end_);
    at_most_.assign(end_, 0);
    for (NodeId id = 0; id < end_; ++id) {
      if (!is_operation(id) || owner_[id] == none) continue;
      const NodeId owner = owner_[id];
      ++size_[owner];
      auto& set = variables_[owner];
      g_.for_each_child(g_.node(id), [&](NodeId c) {
        if (d_.depends[c] == 0) return;
        if (d_.column[c] != none) {
          set.push_back(d_.column[c]);
          at_most_[owner] += 1;
        } else if (is_operation(c) && is_root(c)) {
          edges_.emplace_back(c, owner);
          set.insert(set.end(), variables_[c].begin(), variables_[c].end());
          at_most_[owner] += at_most_[c];
        }
      });
      if (set.size() > most_counted || is_root(id)) compress(set);
      if (is_root(id)) at_most_[id] = std::min(at_most_[id], n_columns_);
    }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  }

  static void compress(std::vector<std::uint32_t>& set) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    if (set.size() > most_counted) set.resize(most_counted);
  }

  void decide() {
    std::vector<double> readers(end_, 0);
    const auto n_rows = static_cast<double>(rows_.size());
    std::size_t edge = edges_.size();
    for (NodeId id = end_; id-- > 0;) {
      double w = 0;
      for (; edge > 0 && edges_[edge - 1].first == id; --edge) {
        const NodeId reader = edges_[edge - 1].second;
        w += is_row_[reader] != 0 || is_cut_[reader] != 0 ? 1.0 : readers[reader];
      }
      w = std::min(w, n_rows);
      readers[id] = is_row_[id] != 0 ? w + 1 : w;
      if (w == 0 || !is_operation(id) || !is_root(id)) continue;
      const double operations = size_[id];
      const bool counted = variables_[id].size() < most_counted;
      const double nnz = counted ? static_cast<double>(variables_[id].size()) : at_most_[id];
      is_cut_[id] = operations + nnz + w * nnz < w * operations ? 1 : 0;
    }
  }

  const Graph& g_;
  std::span<const NodeId> rows_;
  const ColumnDependence& d_;
  NodeId end_;
  std::vector<NodeId> owner_;
  std::vector<std::uint8_t> is_row_;
  std::vector<std::uint8_t> is_cut_;
  double n_columns_;
  std::vector<std::uint32_t> size_;
  std::vector<std::vector<std::uint32_t>> variables_;  // below each root
  std::vector<double> at_most_;                        // bound of their number
  std::vector<std::pair<NodeId, NodeId>> edges_;       // (root, region that reads it)
};

}  // namespace

std::vector<std::uint8_t> choose_cuts(const Graph& g, std::span<const NodeId> rows,
                                      const ColumnDependence& d, Sweep sweep) {
  const auto end = static_cast<NodeId>(d.needed.size());
  std::vector<std::uint8_t> cuts(end, 0);
  if (sweep == Sweep::automatic) cuts = CutChooser(g, rows, d).run();
  for (NodeId id = 0; id < end; ++id) {
    if (d.needed[id] == 0 || d.depends[id] == 0) continue;
    const Node& n = g.node(id);
    if (sweep == Sweep::forward && n.shape == 0 && n.op != Op::input) cuts[id] = 1;
    if (n.shape == 0) continue;
    g.for_each_child(n, [&](NodeId c) {
      const bool picked = n.op == Op::take;
      if ((picked || !g.is_array(c)) && d.depends[c] != 0 && g.node(c).op != Op::input &&
          g.node(c).op != Op::lanes)
        cuts[c] = 1;
    });
  }
  return cuts;
}

}  // namespace saltus
