#include "reduce/system/underlying_ode.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>

namespace saltus {

namespace detail {

namespace {

constexpr std::uint32_t no_unknown = DifferentiatedSystem::none;

CscPattern full_matrix(std::uint32_t n) {
  std::vector<index_t> rows, columns;
  for (std::uint32_t j = 0; j < n; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) {
      rows.push_back(static_cast<index_t>(i));
      columns.push_back(static_cast<index_t>(j));
    }
  }
  return assemble(static_cast<index_t>(n), static_cast<index_t>(n), rows, columns).pattern;
}

/// Entries of 1, C and C^T.
CscAssembly smallest_change(const CscPattern& c) {
  std::vector<index_t> rows, columns;
  for (index_t j = 0; j < c.n_cols; ++j) {
    rows.push_back(j);
    columns.push_back(j);
  }
  for (const bool transposed : {false, true}) {
    for (index_t j = 0; j < c.n_cols; ++j) {
      const auto end = static_cast<std::size_t>(c.column_start[static_cast<std::size_t>(j) + 1]);
      for (auto s = static_cast<std::size_t>(c.column_start[static_cast<std::size_t>(j)]); s < end;
           ++s) {
        const index_t i = c.n_cols + c.row[s];
        rows.push_back(transposed ? j : i);
        columns.push_back(transposed ? i : j);
      }
    }
  }
  return assemble(c.n_cols + c.n_rows, c.n_cols + c.n_rows, rows, columns);
}

}  // namespace

const VariableMap& UnderlyingMap::map() const { return system_.raw().variable_map(); }

std::optional<std::uint32_t> UnderlyingMap::unknown(std::uint32_t variable) const {
  const auto unknown = map().unknown(variable);
  if (!unknown || system_.low_number(*unknown) == no_unknown) return std::nullopt;
  return system_.low_number(*unknown);
}

Evaluation UnderlyingMap::values(Workspace& workspace, double t, std::span<const double> x,
                                 std::span<const double> xdot, std::span<double> out) const {
  auto& own = static_cast<UnderlyingWorkspace&>(workspace);
  std::vector<double> rates(x.size());
  if (const auto e = own.derivative(t, x, rates); !e) return e;
  std::vector<double> all_rates(own.point().size(), 0.0);
  for (std::uint32_t k = 0; k < system_.size(); ++k) all_rates[system_.low()[k]] = xdot[k];
  return map().values(own.raw(), t, own.point(), all_rates, out);
}

UnderlyingSystem::UnderlyingSystem(std::shared_ptr<const DifferentiatedSystem> differentiated,
                                   const StartValues& consistent)
    : differentiated_(std::move(differentiated)),
      low_number_(raw().size(), no_unknown),
      first_point_(consistent.x),
      map_(*this) {
  first_point_.resize(raw().size());
  std::vector<std::uint32_t> top_unknowns, top_rows, constraint_rows;
  for (std::uint32_t u = 0; u < raw().size(); ++u) {
    const std::uint32_t next = differentiated_->derivative_unknown[u];
    if (next == no_unknown) {
      top_unknowns.push_back(u);
      continue;
    }
    low_number_[u] = size();
    low_.push_back(u);
    start_.x.push_back(first_point_[u]);
    start_.xdot.push_back(first_point_[next]);
  }
  for (std::uint32_t row = 0; row < differentiated_->n_equation_rows(); ++row) {
    const bool is_top = differentiated_->derivative_row[row] == no_unknown;
    (is_top ? top_rows : constraint_rows).push_back(row);
  }
  SALTUS_ASSERT(top_rows.size() == top_unknowns.size());
  start_.x_given.assign(size(), 0);
  carries_derivative_.assign(size(), 1);
  top_ = part(std::move(top_rows), std::move(top_unknowns));
  constraints_ = part(std::move(constraint_rows), low_);
  pattern_ = full_matrix(size());
}

UnderlyingSystem::Part UnderlyingSystem::part(std::vector<std::uint32_t> rows,
                                              std::vector<std::uint32_t> columns) const {
  std::vector<std::uint32_t> row_number(raw().n_equations(), no_unknown);
  for (std::uint32_t i = 0; i < rows.size(); ++i) row_number[rows[i]] = i;
  std::vector<index_t> at_row, at_column;
  std::vector<std::size_t> slots;
  const CscPattern& p = raw().pattern();
  for (std::uint32_t j = 0; j < columns.size(); ++j) {
    const std::uint32_t u = columns[j];
    const auto end = static_cast<std::size_t>(p.column_start[u + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[u]); s < end; ++s) {
      const std::uint32_t i = row_number[static_cast<std::size_t>(p.row[s])];
      if (i == no_unknown) continue;
      at_row.push_back(static_cast<index_t>(i));
      at_column.push_back(static_cast<index_t>(j));
      slots.push_back(s);
    }
  }
  CscAssembly assembled = assemble(static_cast<index_t>(rows.size()),
                                   static_cast<index_t>(columns.size()), at_row, at_column);
  Part part{std::move(assembled.pattern), std::vector<std::size_t>(slots.size()), std::move(rows),
            std::move(columns)};
  for (std::size_t k = 0; k < slots.size(); ++k) {
    part.slots[static_cast<std::size_t>(assembled.slot[k])] = slots[k];
  }
  return part;
}

std::unique_ptr<Workspace> UnderlyingSystem::workspace() const {
  return std::make_unique<UnderlyingWorkspace>(*this);
}

UnderlyingWorkspace::UnderlyingWorkspace(const UnderlyingSystem& system)
    : system_(system),
      raw_(system.raw().workspace()),
      point_(system.first_point().begin(), system.first_point().end()),
      no_derivative_(system.raw().size(), 0.0),
      f_raw_(system.raw().n_equations()),
      df_dx_(static_cast<std::size_t>(system.raw().pattern().nnz())),
      df_dxdot_(df_dx_.size()),
      anchor_(point_),
      top_(system.top().pattern, LinearSolverKind::automatic),
      top_values_(system.top().slots.size()),
      top_rhs_(system.top().rows.size()),
      kkt_(smallest_change(system.constraints().pattern)),
      projection_(kkt_.pattern, LinearSolverKind::automatic),
      kkt_values_(static_cast<std::size_t>(kkt_.pattern.nnz())),
      kkt_rhs_(static_cast<std::size_t>(kkt_.pattern.n_cols)) {
  offer<ExplicitForm>(*this);
  offer<StepProjection>(*this);
  offer<StepRefresh>(*this);
  offer<OutputProjection>(*this);
  offer<Regularity>(*this);
  hand_on(*raw_, UnderlyingHanding::HandsOn{});
  forward_switching();
}

void UnderlyingWorkspace::forward_switching() {
  if (raw_->ability<SwitchingFunctions>() == nullptr) return;
  std::vector<std::uint32_t> number;
  for (std::uint32_t u = 0; u < system_.raw().size(); ++u) number.push_back(system_.low_number(u));
  RawPoint point(std::move(number), system_.size(), system_.differentiated().derivative_unknown,
                 [this](double t, std::span<const double> x, std::span<double> all) {
                   const Evaluation found = find_top(t, x);
                   std::copy(point_.begin(), point_.end(), all.begin());
                   return found;
                 });
  // Highest derivatives are sought anew at every point: nothing is frozen that locks could make stale.
  switching_ = std::make_unique<ForwardedSwitching>(
      system_.differentiated(), *raw_, std::move(point), [] {}, ForwardedActions::Told{});
  if (switching_->locks) offer<Locks>(*switching_->locks);
  if (switching_->functions) offer<SwitchingFunctions>(*switching_->functions);
  if (switching_->enclosure) offer<StepEnclosure>(*switching_->enclosure);
  if (switching_->actions) offer<EventActions>(*switching_->actions);
}

/// Newton's method; one step and its confirmation where the equations are linear in what is sought, as
/// those of mechanics are.
Evaluation UnderlyingWorkspace::find_top(double t, std::span<const double> x) {
  constexpr int most_iterations = 12;
  constexpr double settled = 1e-14, nearly_settled = 1e-11;
  const auto low = system_.low();
  // From the same values at every call between two steps, so that the same point gives the same bits.
  point_ = anchor_;
  for (std::size_t k = 0; k < low.size(); ++k) point_[low[k]] = x[k];
  if (const auto e = raw_->jacobian(t, point_, no_derivative_, df_dx_, df_dxdot_); !e) return e;
  const UnderlyingSystem::Part& top = system_.top();
  for (std::size_t s = 0; s < top.slots.size(); ++s) top_values_[s] = df_dx_[top.slots[s]];
  if (!top_.factor(top_values_)) return no_solution();
  double last = 0.0;
  for (int k = 0; k < most_iterations; ++k) {
    if (const auto e = raw_->residual(t, point_, no_derivative_, f_raw_); !e) return e;
    for (std::size_t i = 0; i < top.rows.size(); ++i) top_rhs_[i] = f_raw_[top.rows[i]];
    top_.solve(top_rhs_);
    double size = 0.0;
    for (std::size_t j = 0; j < top.columns.size(); ++j) {
      double& value = point_[top.columns[j]];
      const double unit = std::max(system_.raw().nominal(top.columns[j]), std::abs(value));
      value -= top_rhs_[j];
      size = std::max(size, std::abs(top_rhs_[j]) / unit);
    }
    if (!std::isfinite(size)) break;
    if (size <= settled || (k > 0 && size <= nearly_settled && size > 0.5 * last)) {
      return Evaluation::ok();
    }
    last = size;
  }
  return no_solution();
}

StepRefresh::Answer UnderlyingWorkspace::step_accepted(double t, std::span<const double> x,
                                                       std::span<const double>) {
  if (find_top(t, x)) anchor_ = point_;
  return Answer::unchanged;
}

Evaluation UnderlyingWorkspace::derivative(double t, std::span<const double> x,
                                           std::span<double> xdot) {
  if (const auto e = find_top(t, x); !e) return e;
  const auto low = system_.low();
  for (std::size_t k = 0; k < low.size(); ++k) {
    xdot[k] = point_[system_.differentiated().derivative_unknown[low[k]]];
  }
  return Evaluation::ok();
}

Evaluation UnderlyingWorkspace::determinant(double t, std::span<const double> x,
                                            std::span<const double>, SignedLogarithm& value) {
  if (const auto e = find_top(t, x); !e) return e;
  value = top_.determinant();
  return Evaluation::ok();
}

Regularity::Loss UnderlyingWorkspace::describe_loss(double, std::span<const double>,
                                                    std::span<const double>) {
  const auto& rows = system_.constraints().rows;
  if (rows.empty()) return {"the equations do not determine the highest derivatives"};
  return {"the equations, of which '" + system_.raw().equation_name(rows.front()) +
          "' is a constraint, do not determine the highest derivatives"};
}

/// One step of the smallest change from f_raw_; returns its size in nominal units.
double UnderlyingWorkspace::constraint_step(std::span<double> x) {
  const auto& rows = system_.constraints().rows;
  const std::size_t n = system_.size();
  std::fill(kkt_rhs_.begin(), kkt_rhs_.end(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) kkt_rhs_[n + i] = -f_raw_[rows[i]];
  projection_.solve(kkt_rhs_);
  double size = 0.0;
  for (std::uint32_t k = 0; k < n; ++k) {
    const double unit = system_.nominal(k);
    x[k] += unit * kkt_rhs_[k];
    size = std::max(size, unit * std::abs(kkt_rhs_[k]) / std::max(unit, std::abs(x[k])));
  }
  return size;
}

Evaluation UnderlyingWorkspace::project(double t, std::span<double> x) {
  constexpr int most_sweeps = 8;
  constexpr double settled = 1e-15, nearly_settled = 1e-12;
  const UnderlyingSystem::Part& c = system_.constraints();
  const auto low = system_.low();
  if (c.rows.empty()) return Evaluation::ok();
  double last = 0.0;
  for (int k = 0; k < most_sweeps; ++k) {
    for (std::size_t i = 0; i < low.size(); ++i) point_[low[i]] = x[i];
    if (const auto e = raw_->residual(t, point_, no_derivative_, f_raw_); !e) return e;
    if (k == 0) {
      if (const auto e = raw_->jacobian(t, point_, no_derivative_, df_dx_, df_dxdot_); !e) return e;
      std::fill(kkt_values_.begin(), kkt_values_.end(), 0.0);
      std::size_t entry = 0;
      for (; entry < low.size(); ++entry) {
        kkt_values_[static_cast<std::size_t>(kkt_.slot[entry])] = 1.0;
      }
      for (int copy = 0; copy < 2; ++copy) {
        for (std::size_t j = 0; j < low.size(); ++j) {
          const auto end = static_cast<std::size_t>(c.pattern.column_start[j + 1]);
          const double unit = system_.nominal(static_cast<std::uint32_t>(j));
          for (auto s = static_cast<std::size_t>(c.pattern.column_start[j]); s < end; ++s) {
            kkt_values_[static_cast<std::size_t>(kkt_.slot[entry++])] = unit * df_dx_[c.slots[s]];
          }
        }
      }
      if (!projection_.factor(kkt_values_)) return no_solution();
    }
    const double size = constraint_step(x);
    if (!std::isfinite(size)) break;
    if (size <= settled || (k > 0 && size <= nearly_settled && size > 0.5 * last)) {
      return Evaluation::ok();
    }
    last = size;
  }
  return no_solution();
}

Evaluation UnderlyingWorkspace::project(double t, std::span<double> x, std::span<double> xdot,
                                        double& moved) {
  const std::vector<double> before(x.begin(), x.end());
  if (const auto e = project(t, x); !e) return e;
  moved = 0.0;
  for (std::uint32_t k = 0; k < x.size(); ++k) {
    moved = std::max(moved, std::abs(x[k] - before[k]) / system_.nominal(k));
  }
  return derivative(t, x, xdot);
}

bool UnderlyingWorkspace::begin_step(double, std::span<const double>, std::span<const double>,
                                     std::span<const double> search_start) {
  anchor_.assign(search_start.begin(), search_start.end());
  return true;
}

Evaluation UnderlyingWorkspace::residual(double t, std::span<const double> x,
                                         std::span<const double> xdot, std::span<double> f) {
  if (const auto e = derivative(t, x, f); !e) return e;
  for (std::size_t k = 0; k < f.size(); ++k) f[k] = xdot[k] - f[k];
  return Evaluation::ok();
}

/// Highest derivatives move with x by -J^-1 dF/dx.
Evaluation UnderlyingWorkspace::jacobian(double t, std::span<const double> x,
                                         std::span<const double>, std::span<double> df_dx,
                                         std::span<double> df_dxdot) {
  if (const auto e = find_top(t, x); !e) return e;
  if (const auto e = raw_->jacobian(t, point_, no_derivative_, df_dx_, df_dxdot_); !e) return e;
  const UnderlyingSystem::Part& top = system_.top();
  for (std::size_t s = 0; s < top.slots.size(); ++s) top_values_[s] = df_dx_[top.slots[s]];
  if (!top_.factor(top_values_)) return no_solution();
  std::vector<std::uint32_t> equation_of_row(system_.raw().n_equations(), no_unknown);
  std::vector<std::uint32_t> number_of_top(system_.raw().size(), no_unknown);
  for (std::uint32_t i = 0; i < top.rows.size(); ++i) equation_of_row[top.rows[i]] = i;
  for (std::uint32_t j = 0; j < top.columns.size(); ++j) number_of_top[top.columns[j]] = j;
  const CscPattern& p = system_.raw().pattern();
  const auto low = system_.low();
  const std::size_t n = low.size();
  std::fill(df_dx.begin(), df_dx.end(), 0.0);
  std::fill(df_dxdot.begin(), df_dxdot.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    df_dxdot[j * n + j] = 1.0;
    std::fill(top_rhs_.begin(), top_rhs_.end(), 0.0);
    const auto end = static_cast<std::size_t>(p.column_start[low[j] + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[low[j]]); s < end; ++s) {
      const std::uint32_t i = equation_of_row[static_cast<std::size_t>(p.row[s])];
      if (i != no_unknown) top_rhs_[i] = df_dx_[s];
    }
    top_.solve(top_rhs_);
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t next = system_.differentiated().derivative_unknown[low[k]];
      const std::uint32_t number = number_of_top[next];
      if (number != no_unknown) {
        df_dx[j * n + k] = top_rhs_[number];
      } else if (next == low[j]) {
        df_dx[j * n + k] = -1.0;
      }
    }
  }
  return Evaluation::ok();
}

}  // namespace detail

std::shared_ptr<const System> underlying_ode(
    std::shared_ptr<const DifferentiatedSystem> differentiated, const StartValues& consistent) {
  return std::make_shared<detail::UnderlyingSystem>(std::move(differentiated), consistent);
}

}  // namespace saltus
