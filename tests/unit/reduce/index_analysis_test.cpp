#include <saltus/reduce/index_analysis.hpp>

#include <array>

#include <gtest/gtest.h>

#include "problems/known_values.hpp"

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

TEST(IndexAnalysis, ModelsOfKnownValues) {
  for (const KnownValues& model : models_of_known_values()) {
    Model m("m");
    model.write(m);
    EXPECT_EQ(answer(analysed(m, model.t)), to_text(model.expected)) << model.name;
  }
}

// The point nearby that confirms the values is near in the size of the unknowns, whatever their nominal values are.
// Here the root has no value 1e-7 away.
TEST(IndexAnalysis, SmallUnknownsAreMovedByLittle) {
  EXPECT_EQ(values_of([](Model& m) {
              Expr x = m.state("x", 5e-8), y = m.algebraic("y", {.guess = 8e-8});
              m.equation(der(x) == -x);
              m.equation("root", y == sqrt(1e-14 - x * x));
            }),
            "(0, 1, 1, 0, 0)");
}

// Twins: another equation, other values.
TEST(IndexAnalysis, ValuesChangeWithTheModel) {
  EXPECT_EQ(values_of([](Model& m) {
              Expr x1 = m.state("x1", 0.7), x2 = m.algebraic("x2", {.guess = 0.8}),
                   x3 = m.state("x3", 0.9);
              m.equation(der(x1, 2) == x1 * x2);
              m.equation(x1 * der(x3) == x2 - 1.0);
              m.equation(x2 == 2.0);  // instead of x3 == 1 in Example 3.32
            }),
            "(0, 3, 1, 0, 0)");
  EXPECT_EQ(values_of([](Model& m) {
              Expr x1 = m.state("x1", 0.5), x2 = m.state("x2", 0.5),
                   alpha = m.algebraic("alpha", {.guess = 0.5});
              m.equation(der(x1) == alpha * (1.0 + x1) - 2.0 * (1.0 - alpha));
              m.equation(x2 == 0.5 * x1);  // the surface no longer contains alpha
              m.equation("surface", x2 == 1.0);
            }),
            "(1, 0, 3, 0, 0)");
}

TEST(IndexAnalysis, CoefficientsOfTheSizeOfMachinePrecision) {
  const std::array<double, 4> cases[] = {
      {2e-16, -1e-16, 3e-16, 1e-16}, {2e-18, 5e-14, 1e-16, 4e-15}, {7e-15, 1e-17, -6e-18, 1e-14}};
  for (const std::array<double, 4>& e : cases) {
    EXPECT_EQ(values_of([&](Model& m) { write_example_3_2(m, e); }), "(0, 2, 0, 0, 0)") << e[0];
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

}  // namespace
}  // namespace saltus
