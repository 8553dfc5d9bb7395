// Whether two runs are the same to the last bit.
#pragma once

#include <bit>
#include <string>

#include <saltus/trajectory/solution.hpp>

namespace saltus::test {

/// Empty, or the first difference.
inline std::string difference(const Solution& a, const Solution& b) {
  const auto same = [](double p, double q) {
    return std::bit_cast<std::uint64_t>(p) == std::bit_cast<std::uint64_t>(q);
  };
  if (a.report.outcome != b.report.outcome) return "outcomes";
  if (a.report.message != b.report.message) return a.report.message + " | " + b.report.message;
  if (a.trajectory.n_rows() != b.trajectory.n_rows()) return "numbers of rows";
  for (std::uint32_t r = 0; r < a.trajectory.n_rows(); ++r) {
    const std::string where = "row " + std::to_string(r);
    if (!same(a.trajectory.times()[r], b.trajectory.times()[r])) return "time of " + where;
    const auto p = a.trajectory.row(r), q = b.trajectory.row(r);
    if (p.size() != q.size()) return "columns of " + where;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (!same(p[i], q[i])) return a.trajectory.variables()[i].name + " in " + where;
  }
  if (a.events().size() != b.events().size()) return "numbers of events";
  for (std::size_t i = 0; i < a.events().size(); ++i)
    if (!same(a.events()[i].t, b.events()[i].t)) return "event " + std::to_string(i);
  return {};
}

}  // namespace saltus::test
