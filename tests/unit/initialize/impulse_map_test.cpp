// Which equations multiply a jump or an impulse with a coefficient that jumps.
#include "initialize/impulse_map.hpp"

#include <gtest/gtest.h>

#include "unit/initialize/started_models.hpp"

namespace saltus {
namespace {

using testing_support::Started;

/// The names of the rows, the worst first, or why there is no jump.
std::vector<std::string> path_dependent_equations(const Model& m) {
  Started s(m);
  const auto analysis = analyze_index(*s.system, *s.workspace, 0.0, s.start);
  if (!analysis) return {analysis.failure().message};
  const auto jump = detail::jump_of_steps(*s.system, *s.workspace, 0.0, s.start.x, *analysis);
  if (!jump) return {jump.failure().message};
  const std::vector<double> rates(s.system->size(), 0.0);
  std::vector<std::string> names;
  for (const std::uint32_t row :
       detail::path_dependent_rows(*s.system, *s.workspace, 0.0, s.start.x, *jump, rates))
    names.push_back(s.system->equation_name(row));
  return names;
}

/// Two capacitors that are connected: C1 = 1 + bend v1, and the current does work against v1.
void write_bent_capacitors(Model& m, double bend, bool counts_energy) {
  Expr v1 = m.state("v1", 2.0), v2 = m.state("v2", 1.0), i = m.algebraic("i");
  m.equation("first", (1.0 + bend * v1) * der(v1) == i);
  m.equation("second", 3.0 * der(v2) == -i);
  m.equation("parallel", v1 == v2);
  if (!counts_energy) return;
  Expr energy = m.state("energy", 0.0);
  m.equation("work", der(energy) == i * v1);
}

TEST(ImpulseMap, PathDependentEquationsAreOnlyThoseWhoseCoefficientsJump) {
  using Names = std::vector<std::string>;
  Model constant("constant"), capacity("capacity"), work("work");
  write_bent_capacitors(constant, 0.0, false);
  EXPECT_EQ(path_dependent_equations(constant), Names{});
  write_bent_capacitors(capacity, 0.2, false);
  EXPECT_EQ(path_dependent_equations(capacity), Names{"first"});
  write_bent_capacitors(work, 0.0, true);
  EXPECT_EQ(path_dependent_equations(work), Names{"work"});
}

TEST(ImpulseMap, TheMostPathDependentEquationComesFirst) {
  // v1 falls from 2 to about 1.3: the coefficient of the work changes by a third, a capacity of 1 + 0.001 v1 hardly.
  Model m("both");
  write_bent_capacitors(m, 0.001, true);
  EXPECT_EQ(path_dependent_equations(m), (std::vector<std::string>{"work", "first"}));
}

}  // namespace
}  // namespace saltus
