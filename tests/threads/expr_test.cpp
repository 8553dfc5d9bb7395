// Frozen graphs and programs are shared, evaluators are not: no thread notices the others.
#include <gtest/gtest.h>

#include "support/threaded_evaluation.hpp"

namespace saltus::test {
namespace {

TEST(ExprThreads, EightThreadsGiveTheBitsOfOne) {
  EXPECT_EQ(count_thread_differences(engine_models::Ladder(10), 8, 20), 0);
  EXPECT_EQ(count_thread_differences(engine_models::Diffusion(3000), 8, 3), 0);
}

}  // namespace
}  // namespace saltus::test
