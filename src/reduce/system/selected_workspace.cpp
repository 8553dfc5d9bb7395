#include "reduce/system/selected_workspace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <saltus/system/directions.hpp>
#include <saltus/system/started_system.hpp>

#include "reduce/system/selected_system.hpp"

namespace saltus::detail {

namespace {

// The choice of states is looked at after every step where that is cheap, else whenever an engine
// has asked for a Jacobian, and every so many steps.
constexpr std::uint32_t cheap_size = 100;
constexpr int most_steps_between_looks = 10;
// An engine's Jacobian is stale once a coefficient of a constraint has changed by this part of the
// largest: what Newton's method leaves of an error in the constrained unknowns is of that order per
// iteration, and extrapolation over several steps multiplies it by up to 2^(order + 1) before the
// next (docs/design/0007).
constexpr double stale_change = 0.05;

/// The engine's vector begins with the unknowns of the differentiated system.
RawPoint point_of_raw(const SelectedSystem& system) {
  std::vector<std::uint32_t> number(system.raw().size());
  std::iota(number.begin(), number.end(), 0U);
  return {std::move(number), system.size(), system.differentiated().derivative_unknown, {}};
}

}  // namespace

SelectedWorkspace::SelectedWorkspace(const SelectedSystem& system)
    : system_(system),
      raw_(system.raw().workspace()),
      df_dx_(static_cast<std::size_t>(system.pattern().nnz())),
      df_dxdot_(df_dx_.size()),
      f_(system.size()),
      df_dx_of_engine_(df_dx_.size()),
      matrix_(df_dx_.size()),
      projection_(system.pattern(), LinearSolverKind::automatic),
      top_(system.top_pattern(), LinearSolverKind::automatic),
      top_values_(system.top_slots().size()),
      set_at_event_(system.size(), 0),
      switching_(
          system.differentiated(), *raw_, point_of_raw(system),
          [this] {
            // Other branches: what was factored is stale, and states are chosen anew after the next
            // step.
            projection_is_factored_ = false;
            jacobian_is_new_ = true;
            underlying_workspace_.reset();
          },
          {.prepare = [this](
                          const ActionInfo& info, double t, std::span<const double> x,
                          std::span<const double> xdot) { choose_what_is_set(info, t, x, xdot); },
           .take_back = [this] { forget_what_was_set(); }}) {
  adopt(system.first_selection());
  offer<StepRefresh>(*this);
  offer<ChosenStates>(*this);
  // The raw unknowns come first; what stands for ties left out has no derivative.
  derivative_unknown_ = system.differentiated().derivative_unknown;
  derivative_unknown_.resize(system.size(), DerivativeUnknowns::none);
  offer<DerivativeUnknowns>(*this);
  offer<OutputProjection>(*this);
  offer<Regularity>(*this);
  hand_on(*raw_, SelectedHanding::HandsOn{});
  if (switching_.locks) offer<Locks>(*switching_.locks);
  if (switching_.functions) offer<SwitchingFunctions>(*switching_.functions);
  if (switching_.enclosure) offer<StepEnclosure>(*switching_.enclosure);
  if (switching_.actions) offer<EventActions>(*switching_.actions);
}

void SelectedWorkspace::adopt(StateSelection selection) {
  selection_ = std::move(selection);
  const auto carries = system_.carries_derivative();
  chosen_.assign(carries.begin(), carries.end());
  left_out_.clear();
  const SelectionStructure& structure = system_.structure();
  for (std::uint32_t stage = 1; stage <= structure.n_stages(); ++stage) {
    for (std::uint32_t i = 0; i < structure.equations().size(); ++i) {
      const std::uint32_t j = selection_.left_out[stage - 1][i];
      if (j == DifferentiatedSystem::none) continue;
      const std::uint32_t unknown = structure.variables()[j].low(stage);
      const std::uint32_t row = system_.differentiated().tie_row[unknown];
      const std::uint32_t slack = system_.slack(stage, i);
      chosen_[unknown] = 0;
      left_out_.push_back({unknown, row, slack, system_.slack_slot(slack, row)});
    }
  }
  projection_is_factored_ = false;
}

Evaluation SelectedWorkspace::residual(double t, std::span<const double> x,
                                       std::span<const double> xdot, std::span<double> f) {
  const std::size_t n = system_.raw().size();
  const Evaluation done = raw_->residual(t, x.first(n), xdot.first(n), f);
  for (const LeftOut& tie : left_out_) f[tie.row] = x[tie.slack];
  return done;
}

Evaluation SelectedWorkspace::jacobian(double t, std::span<const double> x,
                                       std::span<const double> xdot, std::span<double> df_dx,
                                       std::span<double> df_dxdot) {
  const Evaluation done = linearize(t, x, xdot, df_dx, df_dxdot);
  std::copy(df_dx.begin(), df_dx.end(), df_dx_of_engine_.begin());
  jacobian_is_new_ = true;
  return done;
}

Evaluation SelectedWorkspace::linearize(double t, std::span<const double> x,
                                        std::span<const double> xdot, std::span<double> df_dx,
                                        std::span<double> df_dxdot) {
  const std::size_t n = system_.raw().size();
  const auto nnz = static_cast<std::size_t>(system_.raw().pattern().nnz());
  const Evaluation done =
      raw_->jacobian(t, x.first(n), xdot.first(n), df_dx.first(nnz), df_dxdot.first(nnz));
  std::fill(df_dx.begin() + static_cast<std::ptrdiff_t>(nnz), df_dx.end(), 0.0);
  std::fill(df_dxdot.begin() + static_cast<std::ptrdiff_t>(nnz), df_dxdot.end(), 0.0);
  for (const LeftOut& tie : left_out_) {
    const SelectedSystem::TieSlots& slots = system_.tie_slots(tie.unknown);
    df_dxdot[slots.derivative] = 0.0;
    df_dx[slots.successor] = 0.0;
    df_dx[tie.slack_slot] = 1.0;
  }
  return done;
}

/// Compares df_dx_ with what the engine has.
bool SelectedWorkspace::constraints_have_turned() const {
  const SelectionStructure& structure = system_.structure();
  for (std::uint32_t i = 0; i < structure.equations().size(); ++i) {
    if (structure.equations()[i].times() == 0) continue;
    double largest = 0.0, change = 0.0;
    for (const auto& entry : structure.row(i)) {
      const std::uint32_t top = structure.variables()[entry.variable].unknowns.back();
      const double unit = system_.nominals()[top];
      largest = std::max(largest, std::abs(df_dx_[entry.slot]) * unit);
      change = std::max(change, std::abs(df_dx_[entry.slot] - df_dx_of_engine_[entry.slot]) * unit);
    }
    if (change > stale_change * largest) return true;
  }
  return false;
}

StepRefresh::Answer SelectedWorkspace::step_accepted(double t, std::span<const double> x,
                                                     std::span<const double> xdot) {
  const bool due = system_.size() <= cheap_size || jacobian_is_new_ ||
                   ++steps_since_look_ >= most_steps_between_looks;
  if (!due) return Answer::unchanged;
  steps_since_look_ = 0;
  if (!linearize(t, x, xdot, df_dx_, df_dxdot_)) return Answer::unchanged;
  jacobian_is_new_ = false;
  const Answer answer = constraints_have_turned() ? Answer::new_jacobian : Answer::unchanged;
  StateSelection selection;
  const std::uint32_t singular = select_states(system_.structure(),
                                               {.jacobian = df_dx_,
                                                .nominal = system_.nominals(),
                                                .prefer_state = {},
                                                .before = &selection_},
                                               selection);
  if (singular != DifferentiatedSystem::none || selection == selection_) return answer;
  adopt(std::move(selection));
  return Answer::new_jacobian;
}

/// The states are those of this point alone.
bool SelectedWorkspace::begin_step(double t, std::span<const double> x,
                                   std::span<const double> xdot, std::span<const double>) {
  projection_is_factored_ = false;
  if (!linearize(t, x, xdot, df_dx_, df_dxdot_)) return false;
  StateSelection selection;
  if (select_states(system_.structure(),
                    {.jacobian = df_dx_,
                     .nominal = system_.nominals(),
                     .prefer_state = {},
                     .before = nullptr},
                    selection) == DifferentiatedSystem::none)
    adopt(std::move(selection));
  return true;
}

/// What an action sets is kept by the search for a consistent point if it is a state, and follows from
/// what is kept if it is not: so it has to be one.
void SelectedWorkspace::choose_what_is_set(const ActionInfo& info, double t,
                                           std::span<const double> x,
                                           std::span<const double> xdot) {
  if (t != t_set_) {
    std::fill(set_at_event_.begin(), set_at_event_.end(), std::uint8_t{0});
    selection_before_.reset();
  }
  t_set_ = t;
  bool any = false;
  for (const ActionTarget& target : info.targets) {
    if (!target.is_unknown) continue;
    set_at_event_[target.index] = 1;
    any = any || chosen_[target.index] == 0;
  }
  if (!any || !linearize(t, x, xdot, df_dx_, df_dxdot_)) return;
  // Nor does an action change what has an equation of its own and is not set.
  std::vector<std::uint8_t> stays = set_at_event_;
  const auto variables = system_.structure().variables();
  for (std::uint32_t j = 0; j < variables.size(); ++j) {
    if (!system_.structure().has_own_equation(j)) continue;
    for (const std::uint32_t unknown : variables[j].unknowns) stays[unknown] = 1;
  }
  StateSelection selection;
  const std::uint32_t singular = select_states(system_.structure(),
                                               {.jacobian = df_dx_,
                                                .nominal = system_.nominals(),
                                                .prefer_state = stays,
                                                .before = &selection_},
                                               selection);
  if (singular != DifferentiatedSystem::none || selection == selection_) return;
  if (!selection_before_) selection_before_ = selection_;
  adopt(std::move(selection));
}

void SelectedWorkspace::forget_what_was_set() {
  std::fill(set_at_event_.begin(), set_at_event_.end(), std::uint8_t{0});
  if (selection_before_) adopt(std::move(*selection_before_));
  selection_before_.reset();
}

/// Equations as they are, and nothing else moves: neither states nor what stands for ties left out.
bool SelectedWorkspace::factor_projection(double t, std::span<const double> x,
                                          std::span<const double> xdot) {
  if (!linearize(t, x, xdot, df_dx_, df_dxdot_)) return false;
  const CscPattern& p = system_.pattern();
  const auto n_equations = static_cast<index_t>(system_.differentiated().n_equation_rows());
  for (std::size_t j = 0; j < system_.size(); ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      const double value =
          p.row[s] < n_equations || j >= system_.raw().size() ? df_dx_[s] : df_dxdot_[s];
      matrix_[s] = value * system_.nominals()[j];
    }
  }
  projection_is_factored_ = projection_.factor(matrix_);
  return projection_is_factored_;
}

/// One step of Newton's method from f_; returns its size in units of the unknowns.
double SelectedWorkspace::projection_step(std::span<double> x) {
  const std::uint32_t n_equations = system_.differentiated().n_equation_rows();
  std::fill(f_.begin() + n_equations, f_.end(), 0.0);
  projection_.solve(f_);
  double size = 0.0;
  for (std::size_t j = 0; j < system_.raw().size(); ++j) {
    const double nominal = system_.nominals()[j];
    size = std::max(size, std::abs(f_[j]) * nominal / std::max(nominal, std::abs(x[j])));
    x[j] -= f_[j] * nominal;
  }
  return size;
}

Evaluation SelectedWorkspace::project(double t, std::span<double> x, std::span<double> xdot,
                                      double& moved) {
  const std::size_t n = system_.raw().size();
  const std::vector<double> given(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
  if (!project_with_states_kept(t, x, xdot, moved)) {
    std::copy(given.begin(), given.end(), x.begin());
    if (const auto e = project_by_smallest_change(t, x, moved); !e) return e;
  }
  for (std::uint32_t u = 0; u < n; ++u) {
    const std::uint32_t successor = system_.differentiated().derivative_unknown[u];
    if (successor != DifferentiatedSystem::none) xdot[u] = x[successor];
  }
  return Evaluation::ok();
}

bool SelectedWorkspace::project_with_states_kept(double t, std::span<double> x,
                                                 std::span<double> xdot, double& moved) {
  constexpr int most_sweeps = 12;
  constexpr double settled = 1e-14;
  // Steps that no longer shrink although the matrix is that of this point are rounding.
  constexpr double largest_rounding = 1e-7;
  const std::size_t n = system_.raw().size();
  moved = 0.0;
  double last = 0.0;
  bool is_fresh = false;
  for (int k = 0; k < most_sweeps; ++k) {
    if (!projection_is_factored_) {
      if (!factor_projection(t, x, xdot)) break;
      is_fresh = true;
    }
    if (!raw_->residual(t, x.first(n), xdot.first(n), f_)) break;
    const double size = projection_step(x);
    moved = std::max(moved, size);
    if (!std::isfinite(size)) break;
    const bool stagnates = k > 0 && size > 0.5 * last;
    if (size <= settled || (stagnates && is_fresh && size <= largest_rounding)) return true;
    // The matrix is that of an earlier point: good as long as it makes steps shrink quickly.
    if (k > 0 && size > 0.1 * last && !is_fresh) projection_is_factored_ = false;
    last = size;
  }
  projection_is_factored_ = false;
  return false;
}

/// Near a configuration where constraints nearly depend on each other, the states' own error may leave no
/// solution for the rest: all of them move, as little as possible.
Evaluation SelectedWorkspace::project_by_smallest_change(double t, std::span<double> x,
                                                         double& moved) {
  constexpr std::uint32_t largest_underlying = 1000;
  if (system_.raw().size() > largest_underlying) return Evaluation::out_of_domain(0);
  if (!underlying_workspace_) {
    underlying_ =
        std::make_shared<UnderlyingSystem>(system_.shared_differentiated(), system_.start_values());
    underlying_workspace_ = std::make_unique<UnderlyingWorkspace>(*underlying_);
  }
  set_as_in(underlying_workspace_->raw(), *raw_);
  const auto low = underlying_->low();
  std::vector<double> x_low(low.size()), xdot_low(low.size());
  for (std::size_t k = 0; k < low.size(); ++k) x_low[k] = x[low[k]];
  if (const auto e = underlying_workspace_->project(t, x_low, xdot_low, moved); !e) return e;
  const auto point = underlying_workspace_->point();
  std::copy(point.begin(), point.end(), x.begin());
  return Evaluation::ok();
}

}  // namespace saltus::detail
