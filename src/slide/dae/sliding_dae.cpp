// The definition of the mixed form.
#include "slide/dae/sliding_dae.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "slide/dae/sliding_dae_workspace.hpp"

namespace saltus::detail {

std::span<const std::uint8_t> states_of(const System& base, Workspace& workspace) {
  auto* choice = workspace.ability<ChosenStates>();
  return choice != nullptr ? choice->chosen() : base.carries_derivative();
}

SlidingDae::SlidingDae(SlidingBase base)
    : base_(std::move(base)), map_(base_.system->variable_map()) {}

Result<std::shared_ptr<const System>> SlidingDae::make(SlidingBase base, SlidingForm form) {
  std::shared_ptr<SlidingDae> made(new SlidingDae(std::move(base)));
  if (auto done = made->lay_out(form); !done) return done.failure();
  made->complete_start();
  return std::shared_ptr<const System>(std::move(made));
}

Result<void> SlidingDae::lay_out(SlidingForm form) {
  const System& system = *base_.system;
  const auto raw = base_.workspace();
  SlidingSides sides(*raw, base_.surfaces);
  SurfaceFunctions surfaces(system, sides);
  SideEquations equations(system, *raw, sides, surfaces);
  switches_ = sliding_switches(sides);
  const auto is_state = states_of(system, *raw);
  if (form == SlidingForm::blended) {
    layout_.emplace(system, sides, form, MotionClosure{}, std::span<const std::uint32_t>{});
    describe_unknowns(is_state);
    return {};
  }
  if (!surfaces.gradients(base_.t, base_.x, base_.xdot) ||
      !equations.residuals(base_.t, base_.x, base_.xdot) ||
      !equations.jacobians(base_.t, base_.x, base_.xdot)) {
    return Failure{FailureCode::singular, "at t = " + to_text(base_.t) + ": a side of " +
                                              quote(surface_name(0)) + " cannot be evaluated"};
  }
  auto* derivatives = raw->ability<DerivativeUnknowns>();
  const std::span<const std::uint32_t> own =
      derivatives != nullptr ? derivatives->derivative_unknown() : std::span<const std::uint32_t>{};
  std::vector<std::uint8_t> has_motion(is_state.begin(), is_state.end());
  for (std::size_t j = 0; j < own.size(); ++j) {
    if (own[j] != DerivativeUnknowns::none) has_motion[j] = 1;
  }
  std::vector<std::uint32_t> needed;
  for (std::uint32_t k = 0; k < base_.surfaces.size(); ++k) {
    for (std::uint32_t j = 0; j < system.size(); ++j) {
      if (surfaces.gradient(k)[j] != 0.0 && has_motion[j] == 0) needed.push_back(j);
    }
  }
  auto closure = motion_closure(system, equations, has_motion, needed);
  n_side_evaluations_ += equations.n_side_evaluations();
  if (!closure) return closure.failure();
  layout_.emplace(system, sides, form, *std::move(closure), own);
  if (auto done = choose_first_pivots(equations, surfaces, is_state); !done) return done;
  describe_unknowns(is_state);
  return {};
}

Result<void> SlidingDae::choose_first_pivots(SideEquations& equations, SurfaceFunctions& surfaces,
                                             std::span<const std::uint8_t> is_state) {
  const std::uint32_t n = layout_->n, z = layout_->z;
  StateGradients gradients(*base_.system);
  gradients.set_jacobian(equations.df_dx(0), equations.df_dxdot(0));
  std::vector<double> rows, kept(n, 1.0);
  bool is_regular = surfaces.steadiness(base_.t, base_.x, base_.xdot, kept);
  for (std::uint32_t k = 0; k < z; ++k) {
    rows.insert(rows.end(), surfaces.gradient(k).begin(), surfaces.gradient(k).end());
    is_regular =
        is_regular && gradients.reduce(is_state, std::span(rows).subspan(std::size_t{k} * n, n));
  }
  // A surface is kept by what moves.
  for (std::uint32_t j = 0; j < n; ++j) {
    if (base_.system->is_constant(j)) kept[j] = 0.0;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] *= kept[i % n];
  if (is_regular) pivots_ = choose_pivots(rows, z);
  if (pivots_.size() == z) return {};
  return Failure{FailureCode::singular,
                 "at t = " + to_text(base_.t) + ": no state of the equations is determined by " +
                     quote(surface_name(static_cast<std::uint32_t>(pivots_.size())) + " = 0")};
}

void SlidingDae::describe_unknowns(std::span<const std::uint8_t> is_state) {
  const System& system = *base_.system;
  const auto flags = layout_->has_copies ? is_state : system.carries_derivative();
  carries_derivative_.assign(flags.begin(), flags.end());
  carries_derivative_.resize(size(), 0);
  for (const std::uint32_t j : pivots_) carries_derivative_[j] = 0;
  if (layout_->hidden) {
    std::fill_n(carries_derivative_.begin() + layout_->n, 2 * layout_->z, std::uint8_t{1});
  }
  for (std::uint32_t j = 0; j < layout_->n; ++j) nominal_.push_back(system.nominal(j));
  nominal_.resize(size(), 1.0);
  for (std::uint32_t k = 0; k < pivots_.size(); ++k) {
    nominal_[layout_->p(k)] = system.nominal(pivots_[k]);
  }
  for (std::uint32_t i = 0; i < layout_->n_motions(); ++i) {
    nominal_[layout_->q(i)] = system.nominal(layout_->closure.unknown[i]);
  }
  for (std::uint32_t i = layout_->n_common(); i < size(); ++i) {
    nominal_[i] = system.nominal((i - layout_->n_common()) % layout_->n);
  }
  write_start(is_state);
}

void SlidingDae::write_start(std::span<const std::uint8_t> is_state) {
  start_.x = base_.x;
  start_.xdot = base_.xdot;
  start_.x_given = base_.system->start_values().x_given;
  start_.x.resize(size(), 0.0);
  start_.xdot.resize(size(), 0.0);
  start_.x_given.resize(size(), 0);
  for (std::uint32_t k = 0; k < pivots_.size(); ++k) {
    start_.x[layout_->p(k)] = base_.x[pivots_[k]];
    start_.xdot[layout_->p(k)] = base_.xdot[pivots_[k]];
    start_.x_given[layout_->u(k)] = start_.x_given[layout_->p(k)] = 1;
  }
  if (layout_->has_copies) write_start_of_copies(is_state);
}

/// Copies that were all alike would not tell which way a multiplier acts.
void SlidingDae::write_start_of_copies(std::span<const std::uint8_t> is_state) {
  const auto raw = base_.workspace();
  SlidingSides sides(*raw, base_.surfaces);
  StatesKept vertex(*base_.system);
  for (std::uint32_t b = 0; b < sides.n_vertices(); ++b) {
    const SideVisit visit(sides, b);
    std::vector<double> x = base_.x, xdot = base_.xdot;
    double moved = 0.0;
    // Where this fails, the search for a consistent start says so.
    (void)vertex.solve(*raw, is_state, base_.t, x, xdot, moved);
    for (std::uint32_t j = 0; j < layout_->n; ++j) {
      start_.x[layout_->block(b) + j] = is_state[j] != 0 ? xdot[j] : x[j];
    }
  }
}

/// As far as Newton's method gets from the side that the point was reached on.
void SlidingDae::complete_start() {
  SlidingDaeWorkspace first(*this);
  double moved = 0.0;
  (void)first.project(base_.t, start_.x, start_.xdot, moved);
  n_side_evaluations_ = first.n_side_evaluations();
}

std::vector<std::string> SlidingDae::surface_names() const {
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < layout_->z; ++k) names.push_back(surface_name(k));
  return names;
}

std::string SlidingDae::surface_name(std::uint32_t k) const {
  return switches_[base_.surfaces[k].switches.front()].name;
}

/// "the side of 'x > 0' being true"
std::string SlidingDae::vertex_name(std::uint32_t vertex) const {
  std::string text = "the side";
  for (std::uint32_t k = 0; k < layout_->z; ++k) {
    const SwitchInfo& info = switches_[base_.surfaces[k].switches.front()];
    const bool truth = ((vertex >> k & 1U) != 0) == info.true_if_positive;
    text += (k == 0 ? " of " : " and of ") + quote(info.name) +
            (truth ? " being true" : " being false");
  }
  return text;
}

std::string SlidingDae::unknown_name(std::uint32_t unknown) const {
  const MixedLayout& l = *layout_;
  if (unknown < l.n) return base_.system->unknown_name(unknown);
  if (unknown < l.n + l.z) {
    const char* what = l.hidden ? "integral of the multiplier of " : "multiplier of ";
    return what + quote(surface_name(unknown - l.n));
  }
  if (unknown < l.n + 2 * l.z) {
    return "integral of what is determined by " + quote(surface_name(unknown - l.n - l.z));
  }
  if (unknown < l.n_common()) {
    return "der(" + base_.system->unknown_name(l.closure.unknown[unknown - l.n - 2 * l.z]) + ")";
  }
  const std::uint32_t in_blocks = unknown - l.n_common();
  return base_.system->unknown_name(in_blocks % l.n) + " of " + vertex_name(in_blocks / l.n);
}

std::string SlidingDae::equation_name(std::uint32_t row) const {
  const MixedLayout& l = *layout_;
  if (row < l.n && l.has_copies) return "mixture of " + quote(base_.system->unknown_name(row));
  if (row < l.n) return base_.system->equation_name(row);
  if (row >= l.n_common()) {
    const std::uint32_t in_blocks = row - l.n_common();
    return base_.system->equation_name(in_blocks % l.n) + " of " + vertex_name(in_blocks / l.n);
  }
  if (row < l.n + l.z) return "surface of " + quote(surface_name(row - l.n));
  if (row < l.n + 2 * l.z) return "motion along " + quote(surface_name(row - l.n - l.z));
  return "derivative of " +
         quote(base_.system->equation_name(l.closure.equation[row - l.n - 2 * l.z]));
}

std::unique_ptr<Workspace> SlidingDae::workspace() const {
  return std::make_unique<SlidingDaeWorkspace>(*this);
}

}  // namespace saltus::detail
