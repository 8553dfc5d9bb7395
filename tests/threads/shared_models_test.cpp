// One compiled model serves eight threads, each with values of its own: the bits are those of one thread.
#include <gtest/gtest.h>

#include <vector>

#include <saltus/saltus.hpp>

#include "support/same_bits.hpp"
#include "threads/tally.hpp"

namespace saltus::test {
namespace {

void expect_bits_of_one_thread(const Model& m, const std::string& parameter, double first,
                               double step, double t_end) {
  const CompiledModel compiled(m.build()), alone(m.build());
  const RunOptions options{.t_end = t_end};
  const auto values = [&](std::size_t k) {
    return Named<double>{parameter, first + step * static_cast<double>(k)};
  };
  StepTally steps;
  std::vector<Solution> found(n_test_threads);
  // What is compiled late (switching functions, sides of surfaces, modes) is first asked for by all at once.
  on_threads([&](std::size_t k) {
    found[k] = simulate(compiled.with_values({values(k)}), options, steps);
  });
  for (std::size_t k = 0; k < n_test_threads; ++k) {
    ASSERT_TRUE(found[k].ok()) << found[k].report.message;
    EXPECT_EQ(difference(found[k], simulate(alone.with_values({values(k)}), options)), "")
        << "thread " << k;
  }
  EXPECT_GE(steps.total(), long{n_test_threads});
}

TEST(SharedModels, ThatSlide) {
  Model m("belt");
  const Expr x = m.state("x", 0.0), v = m.state("v", 0.0), speed = m.parameter("speed", 0.2);
  m.equation("x", der(x) == v);
  m.equation("v", der(v) == -3.0 * x - sign(v - speed) / (1.0 + 3.0 * abs(v - speed)));
  expect_bits_of_one_thread(m, "speed", 0.1, 0.02, 4.0);
}

TEST(SharedModels, ThatChangeTheirIndex) {
  Model m("rope");
  const Expr limit = m.parameter("limit", 8.0);
  const Expr x = m.state("x", 1.0, {.derivative_start = 0.0});
  const Expr y = m.state("y", 0.0, {.derivative_start = 0.0});
  const Expr force = m.algebraic("force");
  const ModeId rope = m.mode("rope"), flight = m.mode("flight");
  m.equation(rope, "x", der(der(x)) == -force * x);
  m.equation(rope, "y", der(der(y)) == -force * y - 9.81);
  m.equation(rope, "length", x * x + y * y == 1.0);
  m.equation(flight, "x", der(der(x)) == 0.0);
  m.equation(flight, "y", der(der(y)) == -9.81);
  m.transition("cut", rope, {flight}, der(x) * der(x) + der(y) * der(y) > limit);
  m.start_in(rope);
  expect_bits_of_one_thread(m, "limit", 6.0, 0.5, 1.0);
}

}  // namespace
}  // namespace saltus::test
