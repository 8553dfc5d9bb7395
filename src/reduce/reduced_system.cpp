#include "reduce/reduced_system.hpp"

#include <cmath>

#include <saltus/core/error.hpp>

#include "reduce/reduced_workspace.hpp"

namespace saltus {

namespace detail {

namespace {

CscPattern full_pattern(std::uint32_t n) {
  CscPattern p;
  p.n_rows = p.n_cols = static_cast<index_t>(n);
  p.column_start.clear();
  for (std::uint32_t j = 0; j <= n; ++j) p.column_start.push_back(static_cast<index_t>(j * n));
  for (std::uint32_t j = 0; j < n; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) p.row.push_back(static_cast<index_t>(i));
  }
  return p;
}

Eigen::Index largest_entry(const Eigen::VectorXd& v) {
  Eigen::Index at = 0;
  v.cwiseAbs().maxCoeff(&at);
  return at;
}

}  // namespace

Evaluation ReducedMap::values(Workspace& workspace, double t, std::span<const double> x,
                              std::span<const double> xdot, std::span<double> out) const {
  return raw_.values(static_cast<ReducedWorkspace&>(workspace).raw(), t, x, xdot, out);
}

ReducedSystem::ReducedSystem(std::shared_ptr<const System> raw, double t, IndexAnalysis analysis,
                             std::uint32_t rank_of_m, FrozenProjectors projectors,
                             Eigen::MatrixXd row_space)
    : raw_(std::move(raw)),
      t_(t),
      analysis_(std::move(analysis)),
      rank_of_m_(rank_of_m),
      projectors_(std::move(projectors)),
      row_space_(std::move(row_space)),
      pattern_(full_pattern(raw_->size())),
      map_(raw_->variable_map()) {}

std::string ReducedSystem::equation_name(std::uint32_t row) const {
  const auto& v = analysis_.values;
  const auto m = static_cast<Eigen::Index>(raw_->n_equations());
  if (row < v.d) {
    const Eigen::Index i = largest_entry(projectors_.z1.col(row));
    return raw_->equation_name(static_cast<std::uint32_t>(i));
  }
  if (row < v.d + v.a) {
    const Eigen::Index i = largest_entry(projectors_.z2.col(row - v.d));
    const std::string name = raw_->equation_name(static_cast<std::uint32_t>(i % m));
    const Eigen::Index times = i / m;
    return times == 0 ? name : "derivative " + std::to_string(times) + " of " + name;
  }
  const Eigen::Index i = largest_entry(projectors_.t3.col(row - v.d - v.a));
  return "nothing determines " + raw_->unknown_name(static_cast<std::uint32_t>(i));
}

StartValues ReducedSystem::start_values() const {
  const auto n = static_cast<std::ptrdiff_t>(raw_->size());
  StartValues start;
  start.x.assign(analysis_.path.begin(), analysis_.path.begin() + n);
  start.xdot.assign(analysis_.path.begin() + n, analysis_.path.begin() + 2 * n);
  start.x_given.assign(raw_->size(), 0);
  return start;
}

std::unique_ptr<Workspace> ReducedSystem::workspace() const {
  return std::make_unique<ReducedWorkspace>(*this);
}

}  // namespace detail

Result<std::shared_ptr<const System>> reduce_index(std::shared_ptr<const System> system, double t,
                                                   const IndexAnalysis& analysis) {
  const CharacteristicValues& v = analysis.values;
  SALTUS_ASSERT(v.d + v.a + v.u == system->size());
  const auto workspace = system->workspace();
  auto* levels = workspace->ability<DerivativeLevels<double>>();
  SALTUS_ASSERT(levels != nullptr);
  const std::string wanted = "M_" + std::to_string(v.mu);
  std::optional<std::uint32_t> rank;
  for (const RankDecision& decision : analysis.decisions) {
    if (decision.matrix == wanted) rank = decision.rank;
  }
  SALTUS_ASSERT(rank.has_value());

  detail::ReducedArray array(*system, v.mu, analysis.scaling);
  const std::span<const double> x(analysis.path.data(), system->size());
  if (!array.linearize(*levels, t, x, array.scaled_higher(analysis.path))) {
    return Failure{FailureCode::out_of_domain,
                   "the derivative array cannot be evaluated at its own consistent point"};
  }
  detail::FrozenProjectors projectors = detail::projectors_at(array, v, *rank);
  Eigen::MatrixXd row_space = projectors.m_plus * array.by_higher();
  std::shared_ptr<const System> reduced = std::make_shared<detail::ReducedSystem>(
      std::move(system), t, analysis, *rank, std::move(projectors), std::move(row_space));
  return reduced;
}

}  // namespace saltus
