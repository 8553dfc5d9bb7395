#include "simulate/structure_check.hpp"

#include <algorithm>
#include <unordered_map>

#include <saltus/reduce/dependence.hpp>

namespace saltus {

namespace {

constexpr std::size_t largest_check = 1000;  // dense singular values

std::string derivative_name(std::string name, std::uint32_t order) {
  for (std::uint32_t k = 0; k < order; ++k) name = "der(" + name + ")";
  return name;
}

std::vector<std::uint32_t> highest_in_model(const SignatureMatrix& signature) {
  std::vector<std::uint32_t> highest(signature.n_unknowns, 0);
  for (const SignatureMatrix::Entry& e : signature.entries)
    highest[e.unknown] = std::max(highest[e.unknown], e.order);
  return highest;
}

/// J_ij = dF_i / dx_j^(d_j - c_i), from the Jacobian of the first-order form: the highest derivative of
/// a variable is read from x', the lower ones from x. In units of the nominal values.
class JacobianReader {
 public:
  JacobianReader(const System& system, const StructuralAnalysis& structure)
      : system_(system), structure_(structure), highest_(highest_in_model(structure.signature)) {
    for (std::uint32_t i = 0; i < system.size(); ++i) number_.emplace(system.unknown_name(i), i);
  }

  std::optional<Matrix> read(Workspace& workspace, const CheckedPoint& point) const {
    const CscPattern& p = system_.pattern();
    std::vector<double> df_dx(p.row.size()), df_dxdot(p.row.size());
    if (!workspace.jacobian(point.t, point.x, point.xdot, df_dx, df_dxdot)) return std::nullopt;
    const SigmaOffsets& offsets = *structure_.offsets;
    const auto n = static_cast<std::uint32_t>(structure_.unknowns.size());
    Matrix j(structure_.signature.n_equations(), n);
    for (std::uint32_t k = 0; k < n; ++k) {
      for (std::uint32_t order = 0; order <= highest_[k]; ++order) {
        const bool is_highest = order == highest_[k] && order > 0;
        const auto column =
            number_.find(derivative_name(structure_.unknowns[k], is_highest ? order - 1 : order));
        if (column == number_.end()) return std::nullopt;
        const std::span<const double> values(is_highest ? df_dxdot : df_dx);
        for (auto s = static_cast<std::size_t>(p.column_start[column->second]);
             s < static_cast<std::size_t>(p.column_start[column->second + 1]); ++s) {
          const auto row = static_cast<std::uint32_t>(p.row[s]);
          if (row >= j.n_rows || offsets.unknown[k] != offsets.equation[row] + order) continue;
          j(row, k) = values[s] * system_.nominal(column->second);
        }
      }
    }
    return j;
  }

 private:
  const System& system_;
  const StructuralAnalysis& structure_;
  std::vector<std::uint32_t> highest_;
  std::unordered_map<std::string, std::uint32_t> number_;
};

/// Dummy derivatives (Mattsson and Soederlind, SIAM J. Sci. Comput. 14 (1993) 677-692), with columns
/// chosen by pivoting at one point. At stage p, rows with c_i >= p choose as many columns of those
/// chosen before; x_j^(d_j - p) of a chosen column is no state.
std::vector<std::string> states_kept(const StructuralAnalysis& structure, const Matrix& j) {
  const SigmaOffsets& offsets = *structure.offsets;
  std::vector<std::uint32_t> n_dummies(structure.unknowns.size(), 0);
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t k = 0; k < structure.unknowns.size(); ++k) candidates.push_back(k);
  for (std::uint32_t stage = 1;; ++stage) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < offsets.equation.size(); ++i)
      if (offsets.equation[i] >= stage) rows.push_back(i);
    std::erase_if(candidates, [&](std::uint32_t k) { return offsets.unknown[k] < stage; });
    if (rows.empty()) break;
    Matrix part(static_cast<std::uint32_t>(rows.size()),
                static_cast<std::uint32_t>(candidates.size()));
    for (std::size_t a = 0; a < rows.size(); ++a)
      for (std::size_t b = 0; b < candidates.size(); ++b) part(a, b) = j(rows[a], candidates[b]);
    const std::vector<std::uint32_t> chosen = independent_columns(part);
    if (chosen.size() < rows.size()) return {};
    std::vector<std::uint32_t> next;
    for (const std::uint32_t b : chosen) next.push_back(candidates[b]);
    std::ranges::sort(next);
    for (const std::uint32_t k : next) ++n_dummies[k];
    candidates = std::move(next);
  }
  std::vector<std::string> states;
  for (std::uint32_t k = 0; k < structure.unknowns.size(); ++k)
    for (std::uint32_t order = 0; order + n_dummies[k] < offsets.unknown[k]; ++order)
      states.push_back(derivative_name(structure.unknowns[k], order));
  return states;
}

}  // namespace

void check_structure(const System& system, Workspace& workspace, const CheckedPoint& point,
                     ModeAnalysis& result) {
  const StructuralAnalysis& structure = result.structure;
  if (structure.is_singular() || structure.unknowns.size() > largest_check) return;
  const auto j = JacobianReader(system, structure).read(workspace, point);
  if (!j) return;
  Dependence found = find_dependence(*j);
  StructureCheck check;
  check.regular = found.rank == j->n_rows;
  check.at_consistent_point = point.consistent;
  check.gap = found.gap;
  check.equations = std::move(found.rows);
  check.unknowns = std::move(found.columns);
  if (check.regular) result.states = states_kept(structure, *j);
  result.check = std::move(check);
}

void count_orders(ModeAnalysis& result) {
  const StructuralAnalysis& structure = result.structure;
  if (structure.is_singular()) return;
  const SigmaOffsets& offsets = *structure.offsets;
  const std::vector<std::uint32_t> highest = highest_in_model(structure.signature);
  if (std::ranges::any_of(highest, [](std::uint32_t order) { return order > 2; })) return;
  // Velocities der(x_j) of the unknowns of second order, less those that differentiated equations
  // take away. Of these take other unknowns where they can: a matching of rows with c_i >= 1 and
  // columns that are no velocities.
  std::uint32_t n_velocities = 0, n_rows = 0;
  for (const std::uint32_t order : highest) n_velocities += order == 2 ? 1 : 0;
  SignatureMatrix others;
  others.n_unknowns = structure.signature.n_unknowns;
  for (std::uint32_t i = 0; i < structure.signature.n_equations(); ++i) {
    if (offsets.equation[i] == 0) continue;
    ++n_rows;
    for (const SignatureMatrix::Entry& e : structure.signature.row(i)) {
      const bool in_jacobian = offsets.unknown[e.unknown] == offsets.equation[i] + e.order;
      if (in_jacobian && offsets.unknown[e.unknown] > 0 && highest[e.unknown] < 2)
        others.entries.push_back(e);
    }
    others.end_row();
  }
  const std::uint32_t taken = n_rows - maximum_matching(others).size;
  OrderCounts counts;
  counts.second = n_velocities > taken ? n_velocities - taken : 0;
  if (2 * counts.second > structure.degrees_of_freedom()) return;
  counts.first = structure.degrees_of_freedom() - 2 * counts.second;
  result.orders = counts;
}

}  // namespace saltus
