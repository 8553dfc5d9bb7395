#include <saltus/reduce/pencil.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/reduce/dependence.hpp>

#include "numerics/eigen.hpp"
#include "reduce/pencil/pair_structure.hpp"
#include "reduce/pencil/pencil_deflation.hpp"
#include "reduce/pencil/pencil_reach.hpp"
#include "reduce/matrix/rank_cut.hpp"

namespace saltus {

namespace {

using detail::Deflation;
using detail::FinitePart;
using detail::ScaledPencil;

constexpr Eigen::Index most_margins = 150;

Matrix pencil_at(const ScaledPencil& pencil, double lambda) {
  Matrix m(static_cast<std::uint32_t>(pencil.e.rows()),
           static_cast<std::uint32_t>(pencil.e.cols()));
  for (std::uint32_t i = 0; i < m.n_rows; ++i) {
    for (std::uint32_t j = 0; j < m.n_cols; ++j) m(i, j) = lambda * pencil.e(i, j) - pencil.a(i, j);
  }
  return m;
}

/// At two values without a pattern: the larger rank is the normal one, its null spaces have the names.
void explain_singular(const ScaledPencil& pencil, PencilAnalysis& result) {
  Dependence best = find_dependence(pencil_at(pencil, 0.7390851332));
  Dependence other = find_dependence(pencil_at(pencil, -1.3247179572));
  if (other.rank > best.rank) best = std::move(other);
  result.normal_rank = best.rank;
  result.dependent_equations = std::move(best.rows);
  result.open_unknowns = std::move(best.columns);
}

/// In scaled time.
std::vector<std::complex<double>> finite_eigenvalues(const FinitePart& part) {
  if (part.e.rows() == 0) return {};
  const Eigen::GeneralizedEigenSolver<Eigen::MatrixXd> solver(part.a, part.e, false);
  if (solver.info() == Eigen::Success) {
    std::vector<std::complex<double>> values;
    bool finite = true;
    for (Eigen::Index k = 0; k < solver.alphas().size(); ++k) {
      values.push_back(solver.alphas()[k] / solver.betas()[k]);
      finite = finite && std::isfinite(std::abs(values.back()));
    }
    if (finite) return values;
  }
  return detail::eigenvalues_of(part.e.partialPivLu().solve(part.a));
}

/// Of several equal eigenvalues it does not matter which one is marked.
template <class Mark>
void mark_nearest(std::vector<PencilMode>& modes,
                  const std::vector<std::complex<double>>& not_reached, bool PencilMode::*flag,
                  Mark&& value_of) {
  for (const std::complex<double>& value : not_reached) {
    PencilMode* nearest = nullptr;
    for (PencilMode& mode : modes) {
      if (!(mode.*flag)) continue;
      if (nearest == nullptr ||
          std::abs(value_of(mode) - value) < std::abs(value_of(*nearest) - value)) {
        nearest = &mode;
      }
    }
    if (nearest != nullptr) nearest->*flag = false;
  }
}

class ModesOfPencil {
 public:
  ModesOfPencil(const ScaledPencil& pencil, const Deflation& deflation, PencilAnalysis& result)
      : pencil_(pencil), deflation_(deflation), part_(deflation.finite), result_(result) {
    if (part_.e.rows() > 0) dynamics_ = part_.e.partialPivLu().solve(part_.a);
  }

  void run() {
    find_modes();
    if (pencil_.b.cols() > 0) find_controllability();
    if (pencil_.c.rows() > 0) find_observability();
    if (result_.modes.size() > static_cast<std::size_t>(most_margins)) {
      result_.remarks.push_back("margins and uncertainties are left out above " +
                                std::to_string(most_margins) + " finite modes");
    }
  }

 private:
  double unit() const { return std::ldexp(1.0, -pencil_.time_exponent); }
  std::complex<double> scaled(const PencilMode& mode) const { return mode.value / unit(); }

  void find_modes() {
    for (const std::complex<double>& value : finite_eigenvalues(part_)) {
      result_.modes.push_back({value * unit(), {}, true, true, {}, {}});
      if (part_.e.rows() > most_margins) continue;
      result_.modes.back().uncertainty =
          detail::eigenvalue_uncertainty(value, part_.e, part_.a) * unit();
    }
    std::stable_sort(result_.modes.begin(), result_.modes.end(),
                     [](const PencilMode& p, const PencilMode& q) {
                       return std::abs(p.value) < std::abs(q.value);
                     });
  }

  void find_controllability() {
    Eigen::MatrixXd b = part_.b;
    if (b.rows() > 0) b = part_.e.partialPivLu().solve(part_.b);
    result_.controllability = find_reach(dynamics_, b, "[B, M B, …]", &PencilMode::controllable);
    const auto infinity = detail::ranks_at_infinity(pencil_.e, pencil_.a, deflation_.kernel,
                                                    pencil_.b, result_.decisions, "B");
    result_.controllability->at_infinity = infinity.with_kernel == pencil_.e.rows();
    result_.controllability->all = infinity.plain == pencil_.e.rows();
    set_margins(part_.e, part_.a, part_.b, &PencilMode::controllability_margin);
  }

  void find_observability() {
    const Eigen::MatrixXd c = part_.c.transpose();
    result_.observability =
        find_reach(dynamics_.transpose(), c, "[C; C M; …]", &PencilMode::observable);
    if (pencil_.c_dot.cwiseAbs().sum() > 0.0) {
      result_.remarks.push_back(
          "outputs contain derivatives of unknowns: observability at infinity is not decided");
    } else {
      const Eigen::MatrixXd et = pencil_.e.transpose(), at = pencil_.a.transpose(),
                            ct = pencil_.c.transpose();
      const auto infinity =
          detail::ranks_at_infinity(et, at, deflation_.left_kernel, ct, result_.decisions, "C");
      result_.observability->at_infinity = infinity.with_kernel == pencil_.e.rows();
      result_.observability->all = infinity.plain == pencil_.e.rows();
    }
    set_margins(part_.e.transpose(), part_.a.transpose(), c, &PencilMode::observability_margin);
  }

  ReachRanks find_reach(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b,
                        const std::string& matrix, bool PencilMode::*flag) {
    detail::ReachedPart reached = detail::reached_part(m, b);
    reached.decision.matrix = matrix;
    if (m.rows() > 0) result_.decisions.push_back(reached.decision);
    mark_nearest(result_.modes, reached.not_reached, flag,
                 [&](const PencilMode& mode) { return scaled(mode); });
    ReachRanks ranks;
    ranks.finite = static_cast<std::uint32_t>(reached.dimension);
    return ranks;
  }

  void set_margins(const Eigen::MatrixXd& e, const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                   std::optional<double> PencilMode::*margin) {
    if (e.rows() > most_margins) return;
    for (PencilMode& mode : result_.modes) {
      mode.*margin = detail::hautus_margin(scaled(mode), e, a, b);
    }
  }

  const ScaledPencil& pencil_;
  const Deflation& deflation_;
  const FinitePart& part_;
  PencilAnalysis& result_;
  Eigen::MatrixXd dynamics_;  // z' = M z
};

void remark_on_unclear_ranks(PencilAnalysis& result) {
  for (const RankDecision& d : result.decisions) {
    if (d.note.empty()) continue;
    result.remarks.push_back("the rank of " + d.matrix + ", " + std::to_string(d.rank) +
                             ", is not clear: there is no clear gap between the singular values "
                             "that count and the others");
  }
}

}  // namespace

PencilAnalysis analyze_pencil(const LinearSystem& system) {
  SALTUS_ASSERT(system.e.n_rows == system.a.n_rows && system.e.n_cols == system.a.n_cols);
  PencilAnalysis result;
  const detail::RecognisedPair pair = detail::recognise_pair(system.e, system.a);
  result.structure = pair.structure;
  result.negated_equations = pair.negated;

  const ScaledPencil pencil(system);
  Deflation deflation;
  if (system.e.n_rows == system.e.n_cols) deflation = detail::deflate_infinite(pencil);
  result.regular = deflation.regular;
  result.decisions = std::move(deflation.decisions);
  if (!result.regular) {
    explain_singular(pencil, result);
    remark_on_unclear_ranks(result);
    return result;
  }
  result.normal_rank = system.e.n_rows;
  result.index = static_cast<std::uint32_t>(deflation.deflated.size());
  for (const Eigen::Index n : deflation.deflated) {
    result.n_infinite += static_cast<std::uint32_t>(n);
  }
  ModesOfPencil(pencil, deflation, result).run();
  remark_on_unclear_ranks(result);
  return result;
}

}  // namespace saltus
