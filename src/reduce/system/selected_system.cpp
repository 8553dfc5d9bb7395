#include "reduce/system/selected_system.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/system/switching.hpp>

#include "reduce/system/selected_workspace.hpp"

namespace saltus {

namespace detail {

Evaluation SelectedMap::values(Workspace& workspace, double t, std::span<const double> x,
                               std::span<const double> xdot, std::span<double> out) const {
  const std::size_t n = raw_.size();
  return map().values(static_cast<SelectedWorkspace&>(workspace).raw(), t, x.first(n),
                      xdot.first(n), out);
}

SelectedSystem::SelectedSystem(std::shared_ptr<const DifferentiatedSystem> differentiated,
                               StartValues start)
    : differentiated_(std::move(differentiated)),
      structure_(*differentiated_),
      start_(std::move(start)),
      pattern_(raw().pattern()),
      map_(raw()) {
  const auto flags = raw().carries_derivative();
  carries_derivative_.assign(flags.begin(), flags.end());
  for (std::uint32_t i = 0; i < raw().size(); ++i) nominal_.push_back(raw().nominal(i));
  find_tie_slots();
  add_slack_columns();
  lay_out_top();
  carries_derivative_.resize(size(), 0);
  nominal_.resize(size(), 1.0);
  start_.x.resize(size(), 0.0);
  start_.xdot.resize(size(), 0.0);
  start_.x_given.resize(size(), 0);
  SALTUS_ASSERT(static_cast<std::uint32_t>(pattern_.n_cols) == size());
  SALTUS_ASSERT(pattern_.n_rows == pattern_.n_cols);
}

void SelectedSystem::find_tie_slots() {
  tie_slots_.resize(raw().size());
  const auto slot_of = [&](std::uint32_t row, std::uint32_t column) {
    const auto first = pattern_.row.begin() + pattern_.column_start[column];
    const auto last = pattern_.row.begin() + pattern_.column_start[column + 1];
    const auto at = std::lower_bound(first, last, static_cast<index_t>(row));
    SALTUS_ASSERT(at != last && *at == static_cast<index_t>(row));
    return static_cast<std::size_t>(at - pattern_.row.begin());
  };
  for (std::uint32_t u = 0; u < raw().size(); ++u) {
    const std::uint32_t row = differentiated_->tie_row[u];
    if (row == DifferentiatedSystem::none) continue;
    tie_slots_[u] = {slot_of(row, u), slot_of(row, differentiated_->derivative_unknown[u])};
  }
}

void SelectedSystem::add_slack_columns() {
  const auto equations = structure_.equations();
  std::uint32_t next = raw().size();
  for (std::uint32_t stage = 1; stage <= structure_.n_stages(); ++stage) {
    slack_.emplace_back(equations.size(), DifferentiatedSystem::none);
    for (std::uint32_t i = 0; i < equations.size(); ++i) {
      if (equations[i].times() < stage) continue;
      slack_.back()[i] = next++;
      std::vector<index_t> rows;
      for (const auto& entry : structure_.row(i)) {
        const auto& variable = structure_.variables()[entry.variable];
        if (variable.order() < stage) continue;
        rows.push_back(static_cast<index_t>(differentiated_->tie_row[variable.low(stage)]));
      }
      std::sort(rows.begin(), rows.end());
      pattern_.row.insert(pattern_.row.end(), rows.begin(), rows.end());
      pattern_.column_start.push_back(pattern_.nnz());
      ++pattern_.n_cols;
    }
  }
}

void SelectedSystem::lay_out_top() {
  std::vector<index_t> rows, columns;
  std::vector<std::size_t> slots;
  const auto n = static_cast<index_t>(structure_.equations().size());
  for (index_t i = 0; i < n; ++i) {
    for (const auto& entry : structure_.row(static_cast<std::size_t>(i))) {
      rows.push_back(i);
      columns.push_back(static_cast<index_t>(entry.variable));
      slots.push_back(entry.slot);
    }
  }
  CscAssembly top = assemble(n, n, rows, columns);
  top_slots_.resize(slots.size());
  for (std::size_t k = 0; k < slots.size(); ++k) {
    top_slots_[static_cast<std::size_t>(top.slot[k])] = slots[k];
  }
  top_pattern_ = std::move(top.pattern);
}

std::size_t SelectedSystem::slack_slot(std::uint32_t slack_unknown, std::uint32_t tie_row) const {
  const auto first = pattern_.row.begin() + pattern_.column_start[slack_unknown];
  const auto last = pattern_.row.begin() + pattern_.column_start[slack_unknown + 1];
  const auto at = std::lower_bound(first, last, static_cast<index_t>(tie_row));
  SALTUS_ASSERT(at != last && *at == static_cast<index_t>(tie_row));
  return static_cast<std::size_t>(at - pattern_.row.begin());
}

std::string SelectedSystem::unknown_name(std::uint32_t unknown) const {
  if (unknown < raw().size()) return raw().unknown_name(unknown);
  return "tie left out " + std::to_string(unknown - raw().size());
}

std::unique_ptr<Workspace> SelectedSystem::workspace() const {
  return std::make_unique<SelectedWorkspace>(*this);
}

}  // namespace detail

Result<std::shared_ptr<const System>> select_states(
    const std::shared_ptr<const DifferentiatedSystem>& differentiated, double t,
    StartValues start) {
  const System& raw = *differentiated->system;
  SALTUS_ASSERT(start.x.size() == raw.size());
  const auto nnz = static_cast<std::size_t>(raw.pattern().nnz());
  std::vector<double> df_dx(nnz), df_dxdot(nnz);
  const auto workspace = raw.workspace();
  if (auto* locks = workspace->ability<Locks>()) {
    // What has no value here is decided with the start.
    static_cast<void>(locks->decide(t, start.x, start.xdot));
  }
  if (const auto e = workspace->jacobian(t, start.x, start.xdot, df_dx, df_dxdot); !e) {
    return Failure{FailureCode::out_of_domain, "start at t = " + to_text(t) + ": equation '" +
                                                   raw.equation_name(e.row()) +
                                                   "' cannot be evaluated"};
  }
  auto system = std::make_shared<detail::SelectedSystem>(differentiated, std::move(start));
  detail::StateSelection selection;
  const StartValues values = system->start_values();
  const std::uint32_t singular = detail::select_states(
      system->structure(),
      {.jacobian = df_dx, .nominal = system->nominals(), .prefer_state = values.x_given},
      selection);
  if (singular != DifferentiatedSystem::none) {
    const std::uint32_t row = system->structure().equations()[singular].rows.front();
    return Failure{FailureCode::singular, "start at t = " + to_text(t) + ": the constraint '" +
                                              raw.equation_name(row) +
                                              "' depends on the other constraints there"};
  }
  system->set_first_selection(std::move(selection));
  return std::shared_ptr<const System>(std::move(system));
}

}  // namespace saltus
