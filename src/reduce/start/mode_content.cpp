#include <saltus/reduce/mode_content.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/reduce/consistent_point.hpp>

#include "reduce/array/projectors.hpp"
#include "reduce/matrix/rank_cut.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus {

/// Everything in scaled units. Columns of bases are orthonormal.
struct ModeContent::Point {
  std::size_t n_equations = 0;
  int level = 0;
  Eigen::MatrixXd n, m;          // the derivative array by x_0 and by x_1 …
  Eigen::MatrixXd e, a;          // dF/dx', dF/dx
  Eigen::MatrixXd t2;            // ker R2
  Eigen::MatrixXd undetermined;  // T_u
  Eigen::MatrixXd w;             // orthonormal rows
  Eigen::MatrixXd jumps;         // from any state to a consistent one, by impulses
  Eigen::MatrixXd gentle;        // the same, keeping w
};

namespace {

// A part of a unit vector that counts. Rounding leaves 1e-11 (rank_tolerance); the second point is 1e-3
// away from the first, where what depends on the point differs by as much.
constexpr double noticeable_component = 1e-7;
constexpr double distance_of_second_point = 1e-3;

using Content = ModeContent::Point;

Eigen::MatrixXd kernel_of(const Eigen::MatrixXd& rows, double scale) {
  const detail::RankedSvd svd = detail::ranked_svd(rows, scale);
  return svd.v.rightCols(svd.v.cols() - svd.rank);
}

Eigen::MatrixXd range_of(const Eigen::MatrixXd& columns, double scale) {
  const detail::RankedSvd svd = detail::ranked_svd(columns, scale);
  return svd.u.leftCols(svd.rank);
}

double size_of(const Eigen::MatrixXd& m) { return m.size() == 0 ? 0.0 : m.norm(); }

Eigen::MatrixXd stacked(const Eigen::MatrixXd& top, const Eigen::MatrixXd& bottom) {
  Eigen::MatrixXd both(top.rows() + bottom.rows(), top.cols());
  both.topRows(top.rows()) = top;
  both.bottomRows(bottom.rows()) = bottom;
  return both;
}

/// V_{k+1} = E^-1 A V_k from V_0 = 0 until it no longer grows; nothing if it has not as many dimensions
/// as there are constraints (the linearised equations are then another system than the equations).
std::optional<Eigen::MatrixXd> erased_space(const Content& p, Eigen::Index n_constraints) {
  const Eigen::Index n = p.e.cols();
  Eigen::MatrixXd v = kernel_of(p.e, size_of(p.e));
  for (Eigen::Index k = 0; k < n && v.cols() < n_constraints; ++k) {
    const Eigen::MatrixXd image = range_of(p.a * v, size_of(p.a));
    const Eigen::MatrixXd outside = p.e - image * (image.transpose() * p.e);
    const Eigen::MatrixXd next = kernel_of(outside, size_of(p.e));
    if (next.cols() <= v.cols()) break;
    v = next;
  }
  if (v.cols() != n_constraints) return std::nullopt;
  return v;
}

detail::ProjectorRanks ranks_known(const IndexAnalysis& known) {
  const std::string wanted = "M_" + std::to_string(known.values.mu);
  const auto found = std::ranges::find(known.decisions, wanted, &RankDecision::matrix);
  SALTUS_ASSERT(found != known.decisions.end());
  return {static_cast<Eigen::Index>(found->rank), static_cast<Eigen::Index>(known.values.a),
          static_cast<Eigen::Index>(known.values.d)};
}

std::shared_ptr<const Content> content_at(detail::ScaledArray<double>& array,
                                          std::span<const double> path,
                                          const IndexAnalysis& known) {
  const int level = known.values.mu;
  const auto m = static_cast<Eigen::Index>(array.n_equations());
  detail::ArrayCoefficients<double> coefficients;
  const std::vector<double> xi =
      detail::scaled_path<double>(path.subspan(0, array.n_columns(level)), known.scaling);
  if (!array.coefficients(xi, level, known.scaling, coefficients)) return nullptr;
  const auto whole = array.jacobian(coefficients, level, known.scaling, true);
  const auto blocks = detail::blocks_of(whole, array.n_equations(), array.n_unknowns());
  const detail::Projectors basis = detail::projectors(blocks, ranks_known(known));
  auto p = std::make_shared<Content>();
  p->n_equations = array.n_equations();
  p->level = level;
  p->n = blocks.n;
  p->m = blocks.m;
  p->e = blocks.e;
  p->a = blocks.n.topRows(m);
  p->t2 = basis.t2;
  p->w = range_of(basis.w.transpose(), size_of(basis.w)).transpose();
  // rank (W T2) = d is decided already: the last u directions are those that W does not see.
  const detail::RankedSvd seen = detail::ranked_svd(p->w * p->t2);
  p->undetermined = p->t2 * seen.v.rightCols(static_cast<Eigen::Index>(known.values.u));
  std::optional<Eigen::MatrixXd> erased;
  if (known.values.u == 0) erased = erased_space(*p, static_cast<Eigen::Index>(known.values.a));
  p->gentle = kernel_of(stacked(p->w, p->undetermined.transpose()), 1.0);
  p->jumps = erased ? *erased : p->gentle;
  return p;
}

/// A consistent path a little away from the first, in directions that constraints leave free.
std::optional<std::vector<double>> second_path(const System& system, Workspace& workspace, double t,
                                               const IndexAnalysis& known, const Content& first) {
  if (first.t2.cols() == 0) return std::nullopt;
  const std::vector<double> xi = detail::scaled_path<double>(known.path, known.scaling);
  double size = 0.0;
  for (std::uint32_t i = 0; i < system.size(); ++i) size = std::max(size, std::abs(xi[i]));
  if (size == 0.0) size = 1.0;
  Eigen::VectorXd direction(first.t2.cols());
  // Any vector without a pattern will do.
  for (Eigen::Index k = 0; k < direction.size(); ++k)
    direction[k] = std::sin(2.0 + 1.7 * static_cast<double>(k));
  const Eigen::VectorXd by = distance_of_second_point * size * (first.t2 * direction.normalized());
  StartValues wish;
  std::vector<double> moved(xi.begin(),
                            xi.begin() + 2 * static_cast<std::ptrdiff_t>(system.size()));
  for (std::uint32_t i = 0; i < system.size(); ++i) moved[i] += by[static_cast<Eigen::Index>(i)];
  const std::vector<double> path = detail::unscaled_path<double>(moved, known.scaling);
  const auto n = static_cast<std::ptrdiff_t>(system.size());
  wish.x.assign(path.begin(), path.begin() + n);
  wish.xdot.assign(path.begin() + n, path.end());
  wish.x_given.assign(system.size(), 1);
  PointOptions nearest;
  nearest.kept = KeptContent::nothing;
  auto found = find_consistent_point(system, workspace, t, wish, known, nearest);
  if (!found) return std::nullopt;
  return std::move(found->path);
}

void mark_rows(const Eigen::MatrixXd& basis, std::vector<std::uint8_t>& flags) {
  for (Eigen::Index i = 0; i < basis.rows(); ++i)
    if (basis.row(i).norm() > noticeable_component) flags[static_cast<std::size_t>(i)] = 1;
}

bool is_marked(const std::vector<std::uint8_t>& flags, std::size_t k) {
  return k < flags.size() && flags[k] != 0;
}

/// Rows of the constraints that follow from equations that hold before.
Eigen::MatrixXd constraints_held(const Content& p, const EntryKnowledge& before) {
  std::vector<Eigen::Index> rows;
  for (int k = 0; k <= p.level; ++k)
    for (std::size_t i = 0; i < p.n_equations; ++i)
      if (i < before.holds.size() && static_cast<std::uint32_t>(k) < before.holds[i])
        rows.push_back(static_cast<Eigen::Index>(static_cast<std::size_t>(k) * p.n_equations + i));
  if (rows.empty()) return Eigen::MatrixXd::Zero(0, p.e.cols());
  const Eigen::MatrixXd m = p.m(rows, Eigen::all);
  const detail::RankedSvd svd = detail::ranked_svd(m, size_of(m));
  const Eigen::MatrixXd z = svd.u.rightCols(svd.u.cols() - svd.rank);
  const Eigen::MatrixXd c = z.transpose() * p.n(rows, Eigen::all);
  return range_of(c.transpose(), size_of(c)).transpose();
}

/// Directions of a space that contradict nothing that holds.
Eigen::MatrixXd allowed(const Eigen::MatrixXd& space, const Eigen::MatrixXd& held) {
  return space * kernel_of(held * space, 1.0);
}

Eigen::MatrixXd rows_marked(Eigen::MatrixXd m, const std::vector<std::uint8_t>& flags,
                            bool marked) {
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    if (is_marked(flags, static_cast<std::size_t>(i)) != marked) m.row(i).setZero();
  return m;
}

/// Integrated over the instant, E (x_plus - x_minus) is -A times the strength of the impulses, and once more
/// for their derivatives.
void mark_impulses(const Content& p, const Eigen::MatrixXd& jumps_with_history,
                   std::vector<std::uint8_t>& flags) {
  const Eigen::MatrixXd image = p.a * p.jumps;
  if (image.size() == 0 || jumps_with_history.cols() == 0) return;
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(image);
  Eigen::MatrixXd source = jumps_with_history;
  for (int order = 0; order <= p.level; ++order) {
    source = p.jumps * solver.solve(p.e * source);
    mark_rows(source, flags);
  }
}

void mark_effects(const Content& p, const EntryKnowledge& before, EntryEffects& effects) {
  const Eigen::MatrixXd held = constraints_held(p, before);
  if (before.nearest) {
    mark_rows(allowed(kernel_of(p.t2.transpose(), 1.0), held), effects.can_jump);
    return;
  }
  const Eigen::MatrixXd jumps = allowed(p.jumps, held);
  mark_rows(jumps, effects.can_jump);
  mark_impulses(p, rows_marked(jumps, before.history, true), effects.can_be_impulsive);
  // What has no history may be moved before anything else: a restart keeps the content of the new mode as far
  // as that goes, and impulses act on what is left.
  if (size_of(p.e * jumps) > noticeable_component * size_of(p.e))
    mark_rows(rows_marked(allowed(p.gentle, held), before.history, false), effects.can_jump);
}

}  // namespace

std::string to_text(UnknownClass what) {
  switch (what) {
    case UnknownClass::differential:
      return "differential";
    case UnknownClass::algebraic:
      return "algebraic";
    case UnknownClass::undetermined:
      return "undetermined";
    case UnknownClass::absent:
      break;
  }
  return "absent";
}

EntryEffects ModeContent::entered(const EntryKnowledge& before) const {
  EntryEffects effects;
  effects.can_jump.assign(classes_.size(), 0);
  effects.can_be_impulsive.assign(classes_.size(), 0);
  for (const auto& p : points_) mark_effects(*p, before, effects);
  return effects;
}

std::uint32_t ModeContent::n_left_open(std::span<const std::uint8_t> free) const {
  const Point& p = *points_.back();  // the more general one
  if (p.w.rows() == 0) return 0;
  std::vector<Eigen::Index> settled;
  for (std::size_t i = 0; i < classes_.size(); ++i)
    if (classes_[i] == UnknownClass::differential && !(i < free.size() && free[i]))
      settled.push_back(static_cast<Eigen::Index>(i));
  // How x moves with its content.
  const Eigen::MatrixXd moves =
      p.t2 * (p.w * p.t2).completeOrthogonalDecomposition().pseudoInverse();
  const Eigen::MatrixXd rows = moves(settled, Eigen::all);
  const Eigen::Index rank = detail::ranked_svd(rows, size_of(moves)).rank;
  return static_cast<std::uint32_t>(p.w.rows() - rank);
}

Result<ModeContent> mode_content(const System& system, Workspace& workspace, double t,
                                 const IndexAnalysis& known) {
  detail::ScaledArray<double> array(system, workspace, t);
  ModeContent content;
  auto first = content_at(array, known.path, known);
  if (!first) {
    return Failure{FailureCode::out_of_domain,
                   "classes of unknowns at t = " + to_text(t) +
                       ": equations cannot be evaluated; other start values or guesses may help"};
  }
  content.points_.push_back(first);
  if (const auto path = second_path(system, workspace, t, known, *first))
    if (auto second = content_at(array, *path, known)) content.points_.push_back(std::move(second));
  const std::size_t n = system.size();
  std::vector<std::uint8_t> free(n, 0), open(n, 0), in_content(n, 0);
  for (const auto& p : content.points_) {
    mark_rows(p->t2, free);
    mark_rows(p->undetermined, open);
    mark_rows(p->w.transpose(), in_content);
  }
  content.classes_.assign(n, UnknownClass::algebraic);
  for (std::size_t i = 0; i < n; ++i) {
    if (!free[i]) continue;
    if (open[i]) {
      content.classes_[i] = UnknownClass::undetermined;
    } else if (in_content[i]) {
      content.classes_[i] = UnknownClass::differential;
    }
  }
  return content;
}

}  // namespace saltus
