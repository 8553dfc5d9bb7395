#include <saltus/trajectory/solution.hpp>

#include <saltus/core/error.hpp>

namespace saltus {

double Solution::final(std::string_view variable) const {
  const Trajectory& t = trajectory;
  if (t.n_rows() == 0 || t.times().back() != report.t_reached) {
    return t.at(variable, report.t_reached, t.backward() ? Side::right : Side::left);
  }
  const std::uint32_t v = t.index_of(variable);
  const std::uint32_t last = t.n_rows() - 1;
  if (!t.present_in_row(v, last)) {
    throw Error("'" + std::string(variable) + "' does not exist at the end of the run");
  }
  return t.row(last)[v];
}

}  // namespace saltus
