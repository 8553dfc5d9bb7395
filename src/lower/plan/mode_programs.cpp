#include "lower/plan/mode_programs.hpp"

#include <algorithm>
#include <optional>

#include "lower/layout/gathered_program.hpp"

namespace saltus::detail {

namespace {

struct Entry {
  index_t row;
  index_t column;
};

/// (row, column) of every slot.
std::vector<Entry> entries_of(const CscPattern& p) {
  std::vector<Entry> entries(static_cast<std::size_t>(p.nnz()));
  for (index_t j = 0; j < p.n_cols; ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[static_cast<std::size_t>(j) + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[static_cast<std::size_t>(j)]); s < end;
         ++s) {
      entries[s] = {p.row[s], j};
    }
  }
  return entries;
}

/// The same expressions, their values going to other slots.
std::vector<Output> redirected(std::span<const Output> outputs,
                               std::span<const std::uint32_t> new_slot) {
  std::vector<Output> moved(outputs.begin(), outputs.end());
  for (Output& o : moved) {
    std::vector<std::uint32_t> slots(o.lanes);
    for (std::uint32_t lane = 0; lane < o.lanes; ++lane) {
      const std::uint32_t old = o.slot(lane);
      slots[lane] = old == none ? none : new_slot[old];  // lanes may be dropped
    }
    o.slots = std::move(slots);
  }
  return moved;
}

/// Inputs that stand in x'.
bool reads_derivatives(const Graph& g, NodeId node, const Layout& layout) {
  const Incidence read = incidence(g, std::vector{node});
  const std::uint32_t n_states = g.count(InputKind::state);
  return std::any_of(read.inputs.begin(), read.inputs.end(), [&](const Input& in) {
    if (in.kind != InputKind::state && in.kind != InputKind::algebraic) return false;
    std::uint32_t i = in.kind == InputKind::state ? in.index : n_states + in.index;
    while (layout[i].successor != none) i = layout[i].successor;
    return in.order > layout[i].input.order;
  });
}

/// Whether every equation gives the derivative of one unknown, each another one.
std::optional<std::vector<ExplicitRow>> find_explicit_rows(const Graph& g, const Layout& layout,
                                                           std::uint32_t n_rows,
                                                           const Jacobian& by_xdot,
                                                           std::vector<Output>& slopes) {
  std::vector<ExplicitRow> rows(n_rows);
  std::vector<std::uint8_t> row_has(n_rows, 0), unknown_has(layout.size(), 0);
  for (std::uint32_t i = 0; i < layout.size(); ++i) {
    if (!layout[i].carries_derivative) return std::nullopt;
  }
  const std::vector<Entry> places = entries_of(by_xdot.pattern);
  for (const Output& o : by_xdot.entries) {
    const bool is_number = g.is_constant(o.node);
    if (is_number && g.constant_value(o.node) == 0.0) return std::nullopt;
    if (!is_number && reads_derivatives(g, o.node, layout)) return std::nullopt;
    Output slope = o;
    slope.slots.assign(o.lanes, none);
    for (std::uint32_t lane = 0; lane < o.lanes; ++lane) {
      const std::uint32_t slot = o.slot(lane);
      if (slot == none) continue;
      const auto row = static_cast<std::uint32_t>(places[slot].row);
      const auto unknown = static_cast<std::uint32_t>(places[slot].column);
      if (row_has[row] || unknown_has[unknown]) return std::nullopt;
      row_has[row] = unknown_has[unknown] = 1;
      rows[row].unknown = unknown;
      if (is_number) {
        rows[row].slope = g.constant_value(o.node);
      } else {
        rows[row].output = n_rows + row;
        slope.slots[lane] = n_rows + row;
      }
    }
    if (!is_number) slopes.push_back(std::move(slope));
  }
  if (std::count(row_has.begin(), row_has.end(), 1) != static_cast<std::ptrdiff_t>(n_rows)) {
    return std::nullopt;
  }
  return rows;
}

/// Parameters and discrete variables change at events only, and under locks so do branches.
bool is_constant_between_events(const Graph& g, std::span<const Output> entries) {
  const ReadSet read = read_by(g, entries);
  return read.functions.empty() &&
         std::all_of(read.inputs.begin(), read.inputs.end(), [&](InputId id) {
           const InputKind kind = g.input(id).kind;
           return kind == InputKind::parameter || kind == InputKind::discrete ||
                  kind == InputKind::previous;
         });
}

}  // namespace

ModePrograms::ModePrograms(const Graph& graph, const Layout& layout, std::span<const NodeId> rows,
                           std::span<const NodeId> output_nodes) {
  // Derivatives are new expressions: they are built on a copy, which keeps the model immutable.
  const std::unique_ptr<Graph> g = graph.thaw();
  const std::vector<InputSegment> segments = layout.segments(*g);

  const std::vector<Output> row_outputs = outputs_in_order(*g, rows);
  residual = compile(*g, row_outputs, segments);
  if (!output_nodes.empty()) outputs = compile(*g, outputs_in_order(*g, output_nodes), segments);

  const Jacobian by_x = saltus::jacobian(*g, rows, layout.x_segment());
  const Jacobian by_xdot = saltus::jacobian(*g, rows, layout.xdot_segment());
  const auto n_rows = static_cast<std::uint32_t>(by_x.pattern.n_rows);

  // One pattern for both parts, with the tying equations x_i' - x_successor = 0 below.
  std::vector<index_t> at_row, at_column;
  for (const CscPattern* p : {&by_x.pattern, &by_xdot.pattern}) {
    for (const Entry& e : entries_of(*p)) {
      at_row.push_back(e.row);
      at_column.push_back(e.column);
    }
  }
  std::uint32_t n_ties = 0;
  for (std::uint32_t i = 0; i < layout.size(); ++i) {
    if (layout[i].successor == none) continue;
    const auto row = static_cast<index_t>(n_rows + n_ties++);
    for (const std::uint32_t column : {layout[i].successor, i}) {
      at_row.push_back(row);
      at_column.push_back(static_cast<index_t>(column));
    }
  }
  const auto n = static_cast<index_t>(layout.size());
  CscAssembly whole = assemble(static_cast<index_t>(n_rows + n_ties), n, at_row, at_column);
  pattern = std::move(whole.pattern);
  const auto nnz = static_cast<std::uint32_t>(pattern.nnz());

  std::vector<std::uint32_t> slot_of_x, slot_of_xdot;
  std::size_t k = 0;
  for (index_t s = 0; s < by_x.pattern.nnz(); ++s) {
    slot_of_x.push_back(static_cast<std::uint32_t>(whole.slot[k++]));
  }
  for (index_t s = 0; s < by_xdot.pattern.nnz(); ++s) {
    slot_of_xdot.push_back(nnz + static_cast<std::uint32_t>(whole.slot[k++]));
  }
  for (std::uint32_t tie = 0; tie < n_ties; ++tie) {
    constants.push_back({static_cast<std::size_t>(whole.slot[k++]), -1.0});
    constants.push_back({nnz + static_cast<std::size_t>(whole.slot[k++]), 1.0});
  }
  std::vector<Output> entries = redirected(by_x.entries, slot_of_x);
  for (Output& o : redirected(by_xdot.entries, slot_of_xdot)) entries.push_back(std::move(o));
  jacobian = compile(*g, entries, segments);
  jacobian_is_constant = is_constant_between_events(*g, entries);

  std::vector<Output> slopes;
  if (auto found = find_explicit_rows(*g, layout, n_rows, by_xdot, slopes)) {
    explicit_rows = std::move(*found);
    if (slopes.empty()) {
      explicit_form = residual;
    } else {
      std::vector<Output> both = row_outputs;
      both.insert(both.end(), slopes.begin(), slopes.end());
      explicit_form = compile(*g, both, segments);
    }
  }
}

}  // namespace saltus::detail
