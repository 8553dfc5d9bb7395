#include "reduce/system/state_selection.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace saltus::detail {

namespace {

constexpr std::uint32_t no_number = DifferentiatedSystem::none;
// A choice is kept while its pivot is at least this part of the best one; a preference given by the
// user counts while it is at least that part.
constexpr double kept_part = 0.6;
constexpr double preferred_part = 0.1;
// What is left of a row after elimination is rounding below this part of it.
constexpr double no_pivot = 1e-11;

/// Rows are eliminated one after the other; each takes as pivot a column no earlier row has taken.
class RowElimination {
 public:
  explicit RowElimination(std::size_t n_columns)
      : work_(n_columns, 0.0), in_work_(n_columns, 0), pivot_of_column_(n_columns, no_number) {}

  void load(std::uint32_t column, double value) {
    if (!in_work_[column]) {
      in_work_[column] = 1;
      columns_.push_back(column);
      if (pivot_of_column_[column] != no_number) waiting_.push(pivot_of_column_[column]);
    }
    work_[column] += value;
  }

  /// Subtracts the earlier rows, in their order, from the loaded one.
  void eliminate() {
    while (!waiting_.empty()) {
      const std::uint32_t k = waiting_.top();
      waiting_.pop();
      const Row& row = rows_[k];
      const double factor = work_[row.pivot] / row.pivot_value;
      work_[row.pivot] = 0.0;
      if (factor == 0.0) continue;
      for (const auto& [column, value] : row.entries) load(column, -factor * value);
    }
  }

  /// Calls visit(column, |value|) for the columns that may become the pivot.
  template <class Visit>
  void candidates(Visit&& visit) const {
    for (const std::uint32_t column : columns_) {
      if (pivot_of_column_[column] == no_number) visit(column, std::abs(work_[column]));
    }
  }

  void take_pivot(std::uint32_t pivot) {
    Row row{pivot, work_[pivot], {}};
    for (const std::uint32_t column : columns_) {
      const bool open = pivot_of_column_[column] == no_number && column != pivot;
      if (open && work_[column] != 0.0) row.entries.emplace_back(column, work_[column]);
    }
    pivot_of_column_[pivot] = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back(std::move(row));
    for (const std::uint32_t column : columns_) {
      work_[column] = 0.0;
      in_work_[column] = 0;
    }
    columns_.clear();
  }

 private:
  struct Row {
    std::uint32_t pivot;
    double pivot_value;
    std::vector<std::pair<std::uint32_t, double>> entries;
  };
  std::vector<double> work_;
  std::vector<std::uint8_t> in_work_;
  std::vector<std::uint32_t> pivot_of_column_;
  std::vector<std::uint32_t> columns_;
  std::vector<Row> rows_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> waiting_;
};

/// Whether leaving out a tie at this stage keeps the way open for one below whose unknown the user
/// would rather see integrated.
bool may_be_left_out(const SelectionStructure::Variable& variable, std::uint32_t stage,
                     std::span<const std::uint8_t> prefer_state) {
  for (std::uint32_t lower = stage; lower <= variable.order(); ++lower) {
    if (prefer_state[variable.low(lower)]) return false;
  }
  return true;
}

/// Matches every constraint of a stage with one of the chosen variables that occur in it: possible
/// whenever their matrix is regular. Starts from the pivots.
class ConstraintMatching {
 public:
  ConstraintMatching(const SelectionStructure& structure, std::vector<std::uint32_t>& variable_of)
      : structure_(structure), variable_of_(variable_of) {}

  void complete(std::span<const std::uint8_t> chosen) {
    constraint_of_.assign(chosen.size(), no_number);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < variable_of_.size(); ++i) {
      if (variable_of_[i] == no_number) continue;
      if (occurs(i, variable_of_[i])) {
        constraint_of_[variable_of_[i]] = i;
      } else {
        open.push_back(i);
      }
    }
    for (const std::uint32_t i : open) {
      variable_of_[i] = no_number;
      seen_.assign(chosen.size(), 0);
      augment(i, chosen);
    }
  }

 private:
  bool occurs(std::uint32_t equation, std::uint32_t variable) const {
    const auto row = structure_.row(equation);
    return std::any_of(row.begin(), row.end(),
                       [&](const auto& entry) { return entry.variable == variable; });
  }

  bool augment(std::uint32_t equation, std::span<const std::uint8_t> chosen) {
    for (const auto& entry : structure_.row(equation)) {
      const std::uint32_t j = entry.variable;
      if (!chosen[j] || seen_[j]) continue;
      seen_[j] = 1;
      if (constraint_of_[j] == no_number || augment(constraint_of_[j], chosen)) {
        constraint_of_[j] = equation;
        variable_of_[equation] = j;
        return true;
      }
    }
    return false;
  }

  const SelectionStructure& structure_;
  std::vector<std::uint32_t>& variable_of_;
  std::vector<std::uint32_t> constraint_of_;
  std::vector<std::uint8_t> seen_;
};

}  // namespace

SelectionStructure::SelectionStructure(const DifferentiatedSystem& system) {
  const std::uint32_t n_rows = system.n_equation_rows();
  std::vector<std::uint8_t> is_derivative(n_rows, 0);
  for (const std::uint32_t next : system.derivative_row) {
    if (next != no_number) is_derivative[next] = 1;
  }
  std::vector<std::uint32_t> equation_of_top(n_rows, no_number);
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    if (is_derivative[row]) continue;
    Equation e;
    for (std::uint32_t r = row; r != no_number; r = system.derivative_row[r]) e.rows.push_back(r);
    equation_of_top[e.rows.back()] = static_cast<std::uint32_t>(equations_.size());
    n_stages_ = std::max(n_stages_, e.times());
    n_constraints_ += e.times();
    equations_.push_back(std::move(e));
  }
  const auto n = static_cast<std::uint32_t>(system.derivative_unknown.size());
  is_derivative.assign(n, 0);
  for (const std::uint32_t next : system.derivative_unknown) {
    if (next != no_number) is_derivative[next] = 1;
  }
  rows_.resize(equations_.size());
  const CscPattern& p = system.system->pattern();
  for (std::uint32_t unknown = 0; unknown < n; ++unknown) {
    if (is_derivative[unknown]) continue;
    Variable v;
    for (std::uint32_t u = unknown; u != no_number; u = system.derivative_unknown[u]) {
      v.unknowns.push_back(u);
    }
    const auto top = static_cast<std::size_t>(v.unknowns.back());
    const auto number = static_cast<std::uint32_t>(variables_.size());
    const auto end = static_cast<std::size_t>(p.column_start[top + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[top]); s < end; ++s) {
      const auto row = static_cast<std::uint32_t>(p.row[s]);
      if (row >= n_rows || equation_of_top[row] == no_number) continue;
      rows_[equation_of_top[row]].push_back({number, s});
    }
    variables_.push_back(std::move(v));
  }
  own_equation_.assign(variables_.size(), none);
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].size() == 1) own_equation_[rows_[i].front().variable] = i;
  }
  order_constraints();
}

void SelectionStructure::order_constraints() {
  std::vector<std::vector<std::uint32_t>> rows_of(variables_.size());
  std::vector<std::uint8_t> waits(equations_.size(), 0);
  for (std::uint32_t i = 0; i < equations_.size(); ++i) {
    if (equations_[i].times() == 0) continue;
    waits[i] = 1;
    for (const Entry& entry : rows_[i]) rows_of[entry.variable].push_back(i);
  }
  std::vector<std::uint32_t> n_rows(variables_.size()), single;
  for (std::uint32_t j = 0; j < variables_.size(); ++j) {
    n_rows[j] = static_cast<std::uint32_t>(rows_of[j].size());
    if (n_rows[j] == 1) single.push_back(j);
  }
  const auto take = [&](std::uint32_t i) {
    waits[i] = 0;
    elimination_order_.push_back(i);
    for (const Entry& entry : rows_[i]) {
      if (--n_rows[entry.variable] == 1) single.push_back(entry.variable);
    }
  };
  for (std::uint32_t next = 0; next < equations_.size();) {
    if (single.empty()) {
      if (waits[next]) take(next);
      ++next;
      continue;
    }
    const std::uint32_t j = single.back();
    single.pop_back();
    for (const std::uint32_t i : rows_of[j]) {
      if (waits[i]) take(i);
    }
  }
}

std::uint32_t select_states(const SelectionStructure& structure, const SelectionWish& wish,
                            StateSelection& selection) {
  const auto equations = structure.equations();
  const auto variables = structure.variables();
  selection.left_out.assign(structure.n_stages(),
                            std::vector<std::uint32_t>(equations.size(), no_number));
  std::vector<std::uint8_t> eligible(variables.size(), 1);
  for (std::uint32_t stage = 1; stage <= structure.n_stages(); ++stage) {
    std::vector<std::uint32_t>& left_out = selection.left_out[stage - 1];
    std::vector<std::uint8_t> was_left_out(variables.size(), 0);
    if (wish.before != nullptr) {
      for (const std::uint32_t j : wish.before->left_out[stage - 1]) {
        if (j != no_number) was_left_out[j] = 1;
      }
    }
    RowElimination elimination(variables.size());
    std::vector<std::uint8_t> chosen(variables.size(), 0);
    for (const std::uint32_t i : structure.elimination_order()) {
      if (equations[i].times() < stage) continue;
      double size = 0.0;
      for (const auto& entry : structure.row(i)) {
        const std::uint32_t j = entry.variable;
        if (!eligible[j] || variables[j].order() < stage) continue;
        const double value = wish.jacobian[entry.slot] * wish.nominal[variables[j].unknowns[0]];
        size = std::max(size, std::abs(value));
        elimination.load(j, value);
      }
      elimination.eliminate();
      double best = 0.0;
      elimination.candidates([&](std::uint32_t, double value) { best = std::max(best, value); });
      if (!(best > no_pivot * size)) return i;
      // The largest pivot, unless a wish is nearly as good. What has an equation of its own is integrated: it
      // would drift with the errors of all that it followed from.
      std::uint32_t pivot = no_number;
      double rank = -1.0;
      elimination.candidates([&](std::uint32_t j, double value) {
        const bool keep = was_left_out[j] && value >= kept_part * best;
        const bool prefer = !wish.prefer_state.empty() && value >= preferred_part * best &&
                            may_be_left_out(variables[j], stage, wish.prefer_state);
        const bool said_here = value > no_pivot * size && !structure.is_given_elsewhere(j, i);
        const double its_rank =
            value / best + (keep ? 2.0 : 0.0) + (said_here ? 4.0 : 0.0) + (prefer ? 8.0 : 0.0);
        if (its_rank <= rank) return;
        rank = its_rank;
        pivot = j;
      });
      elimination.take_pivot(pivot);
      chosen[pivot] = 1;
      left_out[i] = pivot;
    }
    if (wish.before != nullptr && chosen == was_left_out) {
      left_out = wish.before->left_out[stage - 1];
    } else {
      ConstraintMatching(structure, left_out).complete(chosen);
    }
    eligible = std::move(chosen);
  }
  return no_number;
}

}  // namespace saltus::detail
