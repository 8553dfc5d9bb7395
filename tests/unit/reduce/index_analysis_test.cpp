#include <saltus/reduce/index_analysis.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include "analysed_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;

template <class Write>
std::string values_of(Write&& write) {
  Model m("m");
  write(m);
  return answer(analysed(m));
}

TEST(CharacteristicValues, AreWrittenInTheOrderOfTheLiterature) {
  EXPECT_EQ(to_text(CharacteristicValues{2, 1, 3, 4, 5}), "(2, 1, 3, 4, 5)");
}

TEST(IndexAnalysis, OrdinaryDifferentialEquation) {
  EXPECT_EQ(values_of([](Model& m) {
              Expr x = m.state("x", 1.0);
              m.equation(der(x) == -x);
            }),
            "(0, 1, 0, 0, 0)");
}

TEST(IndexAnalysis, Pendulum) {
  EXPECT_EQ(values_of([](Model& m) { write_pendulum(m); }), "(2, 2, 3, 0, 0)");
}

TEST(IndexAnalysis, PendulumWithTheConstraintWrittenTwice) {
  EXPECT_EQ(values_of([](Model& m) { write_pendulum(m, 2.0); }), "(2, 2, 3, 1, 1)");
}

TEST(IndexAnalysis, BodyOnThreeRodsIsRedundantOnItsSolutionSetOnly) {
  EXPECT_EQ(values_of(write_rods), "(2, 2, 6, 1, 1)");
}

TEST(IndexAnalysis, ChainOfFiveMixedInTime) {
  EXPECT_EQ(values_of(write_chain), "(4, 2, 5, 0, 0)");
}

TEST(IndexAnalysis, BoostConverter) {
  for (const int mode : {1, 2, 3, 4}) {
    EXPECT_EQ(values_of([&](Model& m) { write_boost_converter(m, mode); }),
              mode <= 2 ? "(0, 2, 5, 0, 0)" : "(1, 1, 6, 0, 0)")
        << "mode " << mode;
  }
}

TEST(IndexAnalysis, BoostConverterInMicroelectronicUnits) {
  for (const BoostValues& p : {BoostValues{1e-10, 1e-6, 1e4}, BoostValues{1e-12, 1e-9, 1e6}}) {
    for (const int mode : {1, 2, 3, 4}) {
      EXPECT_EQ(values_of([&](Model& m) { write_boost_converter(m, mode, p); }),
                mode <= 2 ? "(0, 2, 5, 0, 0)" : "(1, 1, 6, 0, 0)")
          << "mode " << mode << ", C = " << p.c;
    }
  }
}

TEST(IndexAnalysis, BodiesThatStick) {
  EXPECT_EQ(values_of(write_sticking_bodies), "(1, 3, 2, 0, 0)");
}

TEST(IndexAnalysis, SlidingThatAnAlgebraicEquationFixesDirectly) {
  EXPECT_EQ(values_of([](Model& m) {
              Expr x1 = m.state("x1", 0.5), x2 = m.state("x2", 0.5),
                   alpha = m.algebraic("alpha", {.guess = 0.5});
              m.equation(der(x1) == alpha * (1.0 + x1) - 2.0 * (1.0 - alpha));
              m.equation(x2 == alpha * (2.0 + x1) + (1.0 - alpha) * (0.5 * x1));
              m.equation(x2 == 1.0);
            }),
            "(0, 1, 2, 0, 0)");
}

TEST(IndexAnalysis, MoreEquationsThanUnknowns) {
  EXPECT_EQ(values_of([](Model& m) {
              Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
              m.equation(der(x) == y);
              m.equation(x == sin(m.time()));
              m.equation(y == cos(m.time()));
              m.allow_unequal_counts();
            }),
            "(1, 0, 2, 1, 0)");
}

TEST(IndexAnalysis, MoreUnknownsThanEquations) {
  EXPECT_EQ(values_of([](Model& m) {
              Expr x = m.state("x", 1.0), y = m.state("y", 1.0), z = m.state("z", 1.0);
              m.equation(der(x) == y + z);
              m.equation(x == sin(m.time()));
              m.allow_unequal_counts();
            }),
            "(1, 0, 2, 0, 1)");
}

// The thesis states (2, 2N, 7) while the bow sticks; v_c = v_b and its derivative are two algebraic
// equations, which leaves 2N - 1 differential ones.
TEST(IndexAnalysis, BowedString) {
  EXPECT_EQ(values_of([](Model& m) { write_bowed_string(m, 10, false); }), "(2, 20, 6, 0, 0)");
  EXPECT_EQ(values_of([](Model& m) { write_bowed_string(m, 10, true); }), "(2, 19, 8, 0, 0)");
}

}  // namespace
}  // namespace saltus
