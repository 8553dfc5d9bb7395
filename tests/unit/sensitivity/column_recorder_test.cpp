// Derivatives as a trajectory: segments without steps are points of it.
#include "sensitivity/column_recorder.hpp"

#include <gtest/gtest.h>

#include <saltus/lower/compile_model.hpp>
#include <saltus/model/model.hpp>

namespace saltus {
namespace {

TEST(ColumnRecorder, EverySegmentWithoutStepsIsAPoint) {
  Model m("decay");
  const Expr x = m.state("x", 1.0), p = m.parameter("p", 2.0);
  m.equation(der(x) == -p * x);
  const auto system = compile_model(m.build())->system({}).value();
  const auto workspace = system->workspace();
  const std::vector<double> at = {1.0}, rate = {-2.0};
  detail::Columns columns;
  columns.parameters = {"p"};
  detail::ColumnRecorder recorder;
  recorder.begin(system->variable_map(), columns.parameters);
  const double times[] = {0.0, 1.5, 1.5, 4.0}, values[] = {3.0, 5.0, 7.0, 11.0};
  for (std::size_t k = 0; k < 4; ++k) {
    columns.s = {values[k]};
    recorder.begin_segment({*system, *workspace, times[k], at, rate}, "mode", columns);
  }
  const Trajectory found = recorder.take();
  ASSERT_EQ(found.segments().size(), 4u);
  ASSERT_EQ(found.n_steps(), 4u);
  const std::uint32_t dx_dp = found.index_of(Sensitivities::column("x", "p"));
  for (std::uint32_t k = 0; k < 4; ++k) {
    EXPECT_EQ(found.segments()[k].t_begin, times[k]);
    EXPECT_EQ(found.step(k).t_left, times[k]);
    EXPECT_EQ(found.step(k).coefficient(0, dx_dp), values[k]);
  }
}

}  // namespace
}  // namespace saltus
