// Models with more or fewer equations than unknowns: written, compiled, refused by what integrates.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/initialize.hpp>
#include <saltus/integrate.hpp>
#include <saltus/lower.hpp>
#include <saltus/model.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

/// Two unknowns (q and q'), three equations.
void write_overdetermined(Model& m) {
  Expr q = m.state("q", 1.0);
  m.equation("motion", der(der(q)) == -q);
  m.equation("energy", q * q + der(q) * der(q) == 1.0);
}

TEST(UnequalCounts, AreRefusedUnlessAllowed) {
  Model m("m");
  write_overdetermined(m);
  EXPECT_THROW((void)m.build(), ModelError);
  m.allow_unequal_counts();
  EXPECT_TRUE(m.build()->unequal_counts_allowed());
}

TEST(UnequalCounts, TheSystemTellsBothAndEvaluatesAllRows) {
  Model m("m");
  write_overdetermined(m);
  m.allow_unequal_counts();
  const auto system = *compile_model(m.build())->system({});
  EXPECT_EQ(system->size(), 2u);
  EXPECT_EQ(system->n_equations(), 3u);
  EXPECT_EQ(system->pattern().n_rows, 3);
  EXPECT_EQ(system->pattern().n_cols, 2);
  EXPECT_EQ(system->equation_name(2), "definition of der(q)");
  auto workspace = system->workspace();
  EXPECT_EQ(workspace->ability<ExplicitForm>(), nullptr);
  std::vector<double> f(3);
  ASSERT_TRUE(
      static_cast<bool>(workspace->residual(0.0, std::vector{2.0, 3.0}, std::vector{5.0, 7.0}, f)));
  EXPECT_EQ(f, (std::vector{7.0 + 2.0, 4.0 + 9.0 - 1.0, 5.0 - 3.0}));
}

TEST(UnequalCounts, EnginesAndStartsRefuseThemByCounts) {
  Model m("m");
  write_overdetermined(m);
  m.allow_unequal_counts();
  const auto system = *compile_model(m.build())->system({});
  auto workspace = system->workspace();
  try {
    (void)make_engine(EngineKind::radau, *system, *workspace, {});
    FAIL() << "not refused";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("3 equations for 2 unknowns"), std::string::npos);
  }
  const std::vector<double> weights(2, 1e6);
  const auto start =
      find_consistent_start(*system, *workspace, 0.0, system->start_values(), weights, {});
  ASSERT_FALSE(start.has_value());
  EXPECT_NE(start.failure().message.find("3 equations for 2 unknowns"), std::string::npos);
}

}  // namespace
}  // namespace saltus
