#include "reduce/reduced/reduced_system.hpp"

#include <cmath>

#include <saltus/core/error.hpp>

#include "reduce/reduced/reduced_workspace.hpp"
#include "reduce/array/scaled_array.hpp"

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

FrozenForm frozen_form(const ArrayBlocks& array, const ProjectorRanks& ranks, const System& system,
                       const ArrayScaling& scaling) {
  FrozenForm form{projectors(array, ranks), {}};
  const Eigen::Index n = array.n.cols(), u = n - ranks.a - ranks.d;
  form.r3 = Eigen::MatrixXd::Zero(u, n);
  if (u == 0) return form;
  Eigen::MatrixXd determined(n - u, n);
  determined << form.basis.w, form.basis.z2.transpose() * array.n;
  Eigen::VectorXd nominal(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    nominal[j] = system.nominal(static_cast<std::uint32_t>(j));
    const double unit = std::ldexp(1.0, scaling.column_exponent[static_cast<std::size_t>(j)]);
    determined.col(j) *= nominal[j] / unit;
  }
  form.r3 =
      unseen_directions(std::move(determined)).transpose() * nominal.cwiseInverse().asDiagonal();
  return form;
}

ReducedSystem::ReducedSystem(std::shared_ptr<const System> raw, double t, IndexAnalysis analysis,
                             ReduceOptions options, ProjectorRanks ranks, FrozenForm start)
    : raw_(std::move(raw)),
      t_(t),
      analysis_(std::move(analysis)),
      options_(std::move(options)),
      ranks_(ranks),
      start_(std::move(start)),
      pattern_(full_pattern(raw_->size())),
      map_(raw_->variable_map()) {}

std::string ReducedSystem::equation_name(std::uint32_t row) const {
  const auto& v = analysis_.values;
  const auto m = static_cast<Eigen::Index>(raw_->n_equations());
  if (row < v.d) {
    const Eigen::Index i = largest_entry(start_.basis.z1.col(row));
    return raw_->equation_name(static_cast<std::uint32_t>(i));
  }
  if (row < v.d + v.a) {
    const Eigen::Index i = largest_entry(start_.basis.z2.col(row - v.d));
    const std::string name = raw_->equation_name(static_cast<std::uint32_t>(i % m));
    const Eigen::Index times = i / m;
    return times == 0 ? name : "derivative " + std::to_string(times) + " of " + name;
  }
  const Eigen::Index i = largest_entry(start_.r3.row(row - v.d - v.a));
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
                                                   const IndexAnalysis& analysis,
                                                   const ReduceOptions& options) {
  const CharacteristicValues& v = analysis.values;
  SALTUS_ASSERT(v.d + v.a + v.u == system->size());
  if (options.atol.size() != 1 && options.atol.size() != system->size()) {
    throw OptionError("atol", "must have one value, or one for each of the " +
                                  std::to_string(system->size()) + " unknowns");
  }
  const std::string wanted = "M_" + std::to_string(v.mu);
  std::optional<std::uint32_t> rank;
  for (const RankDecision& decision : analysis.decisions) {
    if (decision.matrix == wanted) rank = decision.rank;
  }
  SALTUS_ASSERT(rank.has_value());

  const auto workspace = system->workspace();
  if (auto* locks = workspace->ability<Locks>()) {
    const std::span<const double> path = analysis.path;
    static_cast<void>(
        locks->decide(t, path.first(system->size()), path.subspan(system->size(), system->size())));
  }
  detail::ScaledArray<double> array(*system, *workspace, t);
  detail::ArrayCoefficients<double> coefficients;
  const std::vector<double> xi = detail::scaled_path<double>(analysis.path, analysis.scaling);
  if (!array.coefficients(xi, v.mu, analysis.scaling, coefficients)) {
    return Failure{FailureCode::out_of_domain,
                   "the derivative array cannot be evaluated at its own consistent point"};
  }
  const auto matrix = array.jacobian(coefficients, v.mu, analysis.scaling, true);
  const detail::ProjectorRanks ranks{*rank, v.a, v.d};
  detail::FrozenForm form =
      detail::frozen_form(detail::blocks_of(matrix, array.n_equations(), array.n_unknowns()), ranks,
                          *system, analysis.scaling);
  std::shared_ptr<const System> reduced = std::make_shared<detail::ReducedSystem>(
      std::move(system), t, analysis, options, ranks, std::move(form));
  return reduced;
}

}  // namespace saltus
