#include "reduce/reduced/reduced_workspace.hpp"

#include <algorithm>
#include <limits>

#include <saltus/system/directions.hpp>

#include "reduce/reduced/large_entries.hpp"

namespace saltus::detail {

namespace {

// Directions are looked at after every step where that is cheap: at loose tolerances a pendulum turns by a radian in two
// steps. Large arrays are looked at every so many steps, and whenever the inner iteration was slow.
constexpr Eigen::Index cheap_rows = 150;
constexpr int steps_between_looks = 5;
constexpr double never = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ReducedWorkspace::ReducedWorkspace(const ReducedSystem& system)
    : system_(system),
      raw_(system.raw().workspace()),
      array_(system.raw(), *raw_, system.analysis(), system.t_start()),
      higher_(array_, system.ranks(), system.t_start()),
      constraints_(array_, higher_, system.ranks()),
      spaces_(array_, higher_, constraints_, system.ranks()),
      redundancy_(system, array_, higher_, constraints_),
      direct_(system.raw(), *raw_, array_.row_unit()),
      form_(system.start_form()),
      locks_(*raw_),
      t_accepted_(never) {
  const StartValues start = system.start_values();
  if (auto* locks = raw_->ability<Locks>()) {
    static_cast<void>(locks->decide(system.t_start(), start.x, start.xdot));
  }
  locks_.begin_again();
  x_reference_ = Eigen::Map<const Vector>(start.x.data(), array_.n_unknowns());
  // The consistent point of the analysis can be linearised: the reduction did so.
  (void)higher_.renew(system.t_start(), start.x);
  offer<StepRefresh>(*this);
  offer<OutputProjection>(*this);
  offer<RedundancyWatch>(*this);
  offer<Regularity>(*this);
  hand_on(*raw_, ReducedHanding::HandsOn{});
  if (Locks* locks = locks_.offered()) offer<Locks>(*locks);
}

// ---- residual and Jacobian ---------------------------------------------------------------------------

Evaluation ReducedWorkspace::residual(double t, std::span<const double> x,
                                      std::span<const double> xdot, std::span<double> f) {
  follow_locks(t, x);
  if (!direct_.evaluate(t, x, xdot)) return Evaluation::out_of_domain(0);
  if (const Evaluation inner = higher_.find(t, x, Precision::converged); !inner) return inner;
  const Eigen::Index n = array_.n_unknowns();
  const auto d = system_.ranks().d, a = system_.ranks().a, u = n - a - d;
  Eigen::Map<Vector> out(f.data(), n);
  out.head(d).noalias() = form_.basis.z1.transpose() * direct_.f();
  out.segment(d, a).noalias() = form_.basis.z2.transpose() * array_.phi();
  if (u > 0) {
    out.tail(u).noalias() = form_.r3 * Eigen::Map<const Vector>(x.data(), n);
    if (system_.options().undetermined == UndeterminedUnknowns::minimum_change) {
      out.tail(u).noalias() -= form_.r3 * x_reference_;
    }
  }
  if (!out.allFinite()) return Evaluation::out_of_domain(0);
  return Evaluation::ok();
}

Evaluation ReducedWorkspace::jacobian(double t, std::span<const double> x,
                                      std::span<const double> xdot, std::span<double> df_dx,
                                      std::span<double> df_dxdot) {
  follow_locks(t, x);
  if (!direct_.linearize(t, x, xdot)) return Evaluation::out_of_domain(0);
  if (const Evaluation inner = higher_.find(t, x, Precision::converged); !inner) return inner;
  if (!higher_.renew(t, x)) return Evaluation::out_of_domain(0);
  const Eigen::Index n = array_.n_unknowns();
  const auto d = system_.ranks().d, a = system_.ranks().a, u = n - a - d;
  Eigen::Map<Matrix> by_x(df_dx.data(), n, n), by_xdot(df_dxdot.data(), n, n);
  by_xdot.setZero();
  by_x.topRows(d).noalias() = form_.basis.z1.transpose() * direct_.of_x();
  by_xdot.topRows(d).noalias() = form_.basis.z1.transpose() * direct_.of_xdot();
  constraints_.write_jacobian(form_.basis.z2);
  for (Eigen::Index j = 0; j < n; ++j) {
    by_x.col(j).segment(d, a) = constraints_.jacobian().col(j) / array_.unit()[j];
  }
  by_x.bottomRows(u) = form_.r3;
  if (!by_x.allFinite() || !by_xdot.allFinite()) return Evaluation::out_of_domain(0);
  return Evaluation::ok();
}

// ---- points on their way to the user -------------------------------------------------------------------

Evaluation ReducedWorkspace::project(double t, std::span<double> x, std::span<double> xdot,
                                     double& moved) {
  follow_locks(t, x);
  higher_.keep();
  const bool was_slow = higher_.was_slow();
  const Evaluation done = constraints_.move_onto(form_.basis.z2, t, x, moved);
  if (done) {
    const double per_time = power_of_two<double>(-array_.scaling().time_exponent);
    for (Eigen::Index j = 0; j < array_.n_unknowns(); ++j) {
      xdot[static_cast<std::size_t>(j)] = array_.y()[j] * array_.unit()[j] * per_time;
    }
  }
  higher_.return_to_kept();
  higher_.set_slow(was_slow);
  return done;
}

// ---- after a step --------------------------------------------------------------------------------------

StepRefresh::Answer ReducedWorkspace::step_accepted(double t, std::span<const double> x,
                                                    std::span<const double>) {
  t_accepted_ = never;
  if (!higher_.find(t, x, Precision::exact)) return Answer::unchanged;
  higher_.accept();
  const bool cheap = array_.phi().size() <= cheap_rows;
  if (++steps_since_look_ < steps_between_looks && !higher_.was_slow() && !cheap)
    return Answer::unchanged;
  steps_since_look_ = 0;
  higher_.set_slow(false);
  if (!array_.linearize(t, x)) return Answer::unchanged;
  const RedundancyLook::Answer redundant = redundancy_.look(t, x, form_);
  if (redundant == RedundancyLook::Answer::contradict) return Answer::stop;
  higher_.invert_here();
  decompose_here();
  at_accepted_ = spaces_.determinant();
  t_accepted_ = t;
  if (redundant == RedundancyLook::Answer::agree &&
      !spaces_.have_left(form_, system_.options().undetermined)) {
    return Answer::unchanged;
  }
  refresh(x);
  return Answer::new_jacobian;
}

std::vector<double> ReducedWorkspace::search_start() const {
  const HigherDerivatives::Beginning& accepted = higher_.accepted();
  std::vector<double> numbers(1, accepted.t);
  numbers.insert(numbers.end(), accepted.y.begin(), accepted.y.end());
  return numbers;
}

bool ReducedWorkspace::begin_step(double t, std::span<const double> x, std::span<const double>,
                                  std::span<const double> search_start) {
  const auto n_higher = static_cast<Eigen::Index>(search_start.size()) - 1;
  higher_.begin_again(
      {Eigen::Map<const Vector>(search_start.data() + 1, n_higher), search_start[0]});
  locks_.begin_again();
  if (!find_exactly(t, x)) return false;
  decompose_here();
  refresh(x);
  higher_.accept();
  return true;
}

bool ReducedWorkspace::find_exactly(double t, std::span<const double> x) {
  // The first inverse is for finding y, that of the y found for what is frozen.
  return higher_.renew(t, x) && higher_.find(t, x, Precision::exact) && higher_.renew(t, x);
}

void ReducedWorkspace::decompose_here() {
  constraints_.write_jacobian(form_.basis.z2);
  constraints_.write_correction();
  spaces_.decompose();
}

void ReducedWorkspace::refresh(std::span<const double> x) {
  FrozenForm now = frozen_form(array_.blocks(), system_.ranks(), system_.raw(), array_.scaling());
  now.basis.align_with(form_.basis);
  form_ = std::move(now);
  constraints_.write_jacobian(form_.basis.z2);
  constraints_.write_correction();
  x_reference_ = Eigen::Map<const Vector>(x.data(), array_.n_unknowns());
}

void ReducedWorkspace::follow_locks(double t, std::span<const double> x) {
  if (!locks_.have_changed_equations() || !find_exactly(t, x)) return;
  higher_.accept();
  t_accepted_ = never;
  decompose_here();
  refresh(x);
}

// ---- regularity ------------------------------------------------------------------------------------------

Evaluation ReducedWorkspace::determinant(double t, std::span<const double> x,
                                         std::span<const double>, SignedLogarithm& value) {
  if (t == t_accepted_) {
    value = at_accepted_;
    return Evaluation::ok();
  }
  higher_.keep();
  Evaluation done = higher_.find(t, x, Precision::converged);
  if (done) done = higher_.renew(t, x);
  if (done) {
    constraints_.write_jacobian(form_.basis.z2);
    spaces_.decompose();
    value = spaces_.determinant();
  }
  higher_.return_to_kept();
  return done;
}

Regularity::Loss ReducedWorkspace::describe_loss(double t, std::span<const double> x,
                                                 std::span<const double>) {
  if (!higher_.find(t, x, Precision::converged) || !higher_.renew(t, x)) return {};
  constraints_.write_jacobian(form_.basis.z2);
  spaces_.decompose();
  const SpacesHere::Weakest weakest = spaces_.weakest();
  const auto equations = names_of_large(
      weakest.of_equation, 0.3, [&](std::uint32_t i) { return system_.raw().equation_name(i); });
  const auto unknowns = names_of_large(weakest.of_unknown, 0.3,
                                       [&](std::uint32_t j) { return system_.unknown_name(j); });
  return {undetermined_text(equations, unknowns)};
}

}  // namespace saltus::detail
