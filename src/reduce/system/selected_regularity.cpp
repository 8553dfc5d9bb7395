// Where a system with selected states ceases to be regular.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "numerics/eigen.hpp"
#include "reduce/system/selected_system.hpp"
#include "reduce/system/selected_workspace.hpp"

namespace saltus::detail {

namespace {

// A decomposition beyond this size takes too long for a message.
constexpr std::uint32_t largest_decomposed = 300;

/// Entries of at least a tenth of the largest.
std::vector<std::uint32_t> large_entries(const Eigen::VectorXd& v) {
  std::vector<std::uint32_t> entries;
  const double largest = v.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (std::abs(v[i]) >= largest / 10) entries.push_back(static_cast<std::uint32_t>(i));
  }
  return entries;
}

}  // namespace

Evaluation SelectedWorkspace::determinant(double t, std::span<const double> x,
                                          std::span<const double> xdot, SignedLogarithm& value) {
  const Evaluation done = linearize(t, x, xdot, df_dx_, df_dxdot_);
  if (!done) return done;
  const auto slots = system_.top_slots();
  for (std::size_t s = 0; s < slots.size(); ++s) top_values_[s] = df_dx_[slots[s]];
  value = top_.factor(top_values_) ? top_.determinant() : SignedLogarithm{};
  return done;
}

/// The equations whose combination nearly vanishes, and what they leave open.
Regularity::Loss SelectedWorkspace::describe_loss(double t, std::span<const double> x,
                                                  std::span<const double> xdot) {
  const SelectionStructure& structure = system_.structure();
  const auto n = static_cast<std::uint32_t>(structure.equations().size());
  if (n > largest_decomposed || !linearize(t, x, xdot, df_dx_, df_dxdot_)) return {};
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(n, n);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (const auto& entry : structure.row(i)) {
      const std::uint32_t variable = structure.variables()[entry.variable].unknowns.front();
      j(i, entry.variable) = df_dx_[entry.slot] * system_.nominals()[variable];
    }
    const double size = j.row(i).norm();
    if (size > 0) j.row(i) /= size;
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(j, Eigen::ComputeFullU | Eigen::ComputeFullV);
  std::vector<std::string> equations, unknowns;
  // Of the equations that take part, those that were differentiated most often: the constraints.
  const std::vector<std::uint32_t> part = large_entries(svd.matrixU().col(n - 1));
  std::uint32_t most = 0;
  for (const std::uint32_t i : part) most = std::max(most, structure.equations()[i].times());
  for (const std::uint32_t i : part) {
    const auto& equation = structure.equations()[i];
    if (equation.times() < most || equations.size() == 4) continue;
    equations.push_back("'" + system_.equation_name(equation.rows.front()) + "'");
  }
  for (const std::uint32_t i : large_entries(svd.matrixV().col(n - 1))) {
    if (unknowns.size() == 4) break;
    unknowns.push_back("'" + system_.unknown_name(structure.variables()[i].unknowns.back()) + "'");
  }
  return {undetermined_text(equations, unknowns)};
}

}  // namespace saltus::detail
