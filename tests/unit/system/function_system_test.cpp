#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/system.hpp>

#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

using Values = std::vector<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();

std::string refusal_of(SystemFunctions functions) {
  try {
    make_system(std::move(functions));
  } catch (const ModelError& e) {
    return e.what();
  }
  return "accepted";
}

CscPattern pattern_of(index_t n, const std::function<bool(index_t row, index_t column)>& has) {
  std::vector<index_t> rows, columns;
  for (index_t j = 0; j < n; ++j) {
    for (index_t i = 0; i < n; ++i) {
      if (!has(i, j)) continue;
      rows.push_back(i);
      columns.push_back(j);
    }
  }
  return assemble(n, n, rows, columns).pattern;
}

/// Both parts of the Jacobian at a point.
struct Parts {
  Evaluation evaluation;
  Values df_dx, df_dxdot;
};

Parts jacobian_of(const System& system, const Values& x, const Values& xdot) {
  // What was there before must not matter.
  const Values old(system.pattern().row.size(), 77.0);
  Parts parts{Evaluation::ok(), old, old};
  parts.evaluation = system.workspace()->jacobian(0.0, x, xdot, parts.df_dx, parts.df_dxdot);
  return parts;
}

/// A pendulum on a rod as position, speed and the force in the rod.
SystemFunctions rod() {
  return {.unknowns = {{.name = "angle", .start = 0.5, .unit = "rad"},
                       {.name = "speed", .start = 0.25, .nominal = 2.0},
                       {.name = "force", .start = 9.0, .differential = false, .nominal = 10.0}},
          .residual =
              [](double, auto x, auto xdot, auto f) {
                f[0] = xdot[0] - x[1];
                f[1] = xdot[1] + 9.81 * std::sin(x[0]);
                f[2] = x[2] - 9.81 * std::cos(x[0]) - x[1] * x[1];
              },
          .equations = {"kinematics", "swing", "rod"}};
}

SystemFunctions decay() {
  return {.unknowns = {{"x", 1.0}},
          .derivative = [](double, auto x, auto xdot) { xdot[0] = -x[0]; }};
}

// ---- description -----------------------------------------------------------------------------------

TEST(FunctionSystem, DescribesItself) {
  const auto system = make_system(rod());
  EXPECT_EQ(system->size(), 3U);
  EXPECT_EQ(system->unknown_name(1), "speed");
  EXPECT_EQ(system->equation_name(2), "rod");
  EXPECT_EQ(system->nominal(1), 2.0);
  EXPECT_EQ(system->pattern(), pattern_of(3, [](index_t, index_t) { return true; }));
  const auto flags = system->carries_derivative();
  EXPECT_EQ(std::vector(flags.begin(), flags.end()), (std::vector<std::uint8_t>{1, 1, 0}));
  const StartValues start = system->start_values();
  EXPECT_EQ(start.x, (Values{0.5, 0.25, 9.0}));
  EXPECT_EQ(start.xdot, (Values{0.0, 0.0, 0.0}));
  EXPECT_EQ(start.x_given, (std::vector<std::uint8_t>{1, 1, 0}));
  ASSERT_EQ(system->variable_map().variables().size(), 3U);
  EXPECT_EQ(system->variable_map().variables()[0], (VariableInfo{"angle", "rad", ""}));
}

TEST(FunctionSystem, NumbersEquationsWithoutNames) {
  EXPECT_EQ(make_system(decay())->equation_name(0), "equation 1");
}

TEST(FunctionSystem, AWorkspaceOutlivesItsSystem) {
  auto system = make_system(decay());
  const auto workspace = system->workspace();
  system.reset();
  Values f(1);
  ASSERT_TRUE(workspace->residual(0.0, Values{2.0}, Values{5.0}, f));
  EXPECT_EQ(f[0], 7.0);
}

// ---- residual and explicit form --------------------------------------------------------------------

TEST(FunctionSystem, ADerivativeAloneIsAResidualAndAnExplicitForm) {
  const auto workspace = make_system(decay())->workspace();
  Values f(1), xdot(1);
  ASSERT_TRUE(workspace->residual(0.0, Values{2.0}, Values{5.0}, f));
  EXPECT_EQ(f[0], 7.0);
  auto* form = workspace->ability<ExplicitForm>();
  ASSERT_NE(form, nullptr);
  ASSERT_TRUE(form->derivative(0.0, Values{2.0}, xdot));
  EXPECT_EQ(xdot[0], -2.0);
}

TEST(FunctionSystem, AResidualAloneHasNoExplicitForm) {
  EXPECT_EQ(make_system(rod())->workspace()->ability<ExplicitForm>(), nullptr);
}

TEST(FunctionSystem, WithBothEachDoesItsOwn) {
  SystemFunctions functions = decay();
  functions.residual = [](double, auto x, auto xdot, auto f) { f[0] = 3.0 * (xdot[0] + x[0]); };
  const auto system = make_system(functions);
  const auto workspace = system->workspace();
  Values f(1);
  ASSERT_TRUE(workspace->residual(0.0, Values{2.0}, Values{5.0}, f));
  EXPECT_EQ(f[0], 21.0);
  ASSERT_NE(workspace->ability<ExplicitForm>(), nullptr);
  EXPECT_TRUE(check_system(*system).empty());
}

TEST(FunctionSystem, TheTimeArrives) {
  const auto system = make_system(
      {.unknowns = {{"x"}}, .derivative = [](double t, auto, auto xdot) { xdot[0] = t; }});
  Values f(1);
  ASSERT_TRUE(system->workspace()->residual(4.0, Values{0.0}, Values{0.0}, f));
  EXPECT_EQ(f[0], -4.0);
}

// ---- trouble ---------------------------------------------------------------------------------------

TEST(FunctionSystem, TheFirstRowThatIsNotFiniteIsOutOfDomain) {
  const auto system = make_system({.unknowns = {{"a", 1.0}, {"b", 1.0}, {"c", 1.0}},
                                   .derivative = [](double, auto x, auto xdot) {
                                     xdot[0] = x[0];
                                     xdot[1] = std::log(x[1]);
                                     xdot[2] = 1.0 / x[2];
                                   }});
  const auto workspace = system->workspace();
  const auto row_at = [&](const Values& x) {
    Values f(3), xdot(3);
    const Evaluation residual = workspace->residual(0.0, x, Values(3), f);
    const Evaluation form = workspace->ability<ExplicitForm>()->derivative(0.0, x, xdot);
    const Evaluation jacobian = jacobian_of(*system, x, Values(3)).evaluation;
    for (const Evaluation e : {residual, form, jacobian}) {
      EXPECT_EQ(e.status(), Evaluation::Status::out_of_domain);
      EXPECT_EQ(e.row(), residual.row());
    }
    return residual.row();
  };
  EXPECT_EQ(row_at({1.0, -1.0, 0.0}), 1U);
  EXPECT_EQ(row_at({1.0, 1.0, 0.0}), 2U);
}

TEST(FunctionSystem, ADerivativeTooLargeToSubtractIsOutOfDomain) {
  const double huge = std::numeric_limits<double>::max();
  Values f(1);
  const Evaluation e =
      make_system(decay())->workspace()->residual(0.0, Values{huge}, Values{huge}, f);
  EXPECT_EQ(e.status(), Evaluation::Status::out_of_domain);
}

TEST(FunctionSystem, JacobianValuesThatAreNotFiniteNameTheirRow) {
  for (const bool by_rate : {false, true}) {
    SystemFunctions functions = rod();
    functions.jacobian = [by_rate](double, auto, auto, auto dx, auto dxdot) {
      (by_rate ? dxdot : dx)[5] = std::numeric_limits<double>::quiet_NaN();  // row 2 of column 1
    };
    const Evaluation e = jacobian_of(*make_system(functions), Values(3), Values(3)).evaluation;
    EXPECT_EQ(e.status(), Evaluation::Status::out_of_domain);
    EXPECT_EQ(e.row(), 2U);
  }
}

TEST(FunctionSystem, WhateverAFunctionThrowsFailsTheEvaluation) {
  const std::vector<std::function<void()>> throwers{[] { throw std::runtime_error("no table"); },
                                                    [] { throw 1; }};
  for (const auto& thrower : throwers) {
    const auto throwing = [&](auto...) { thrower(); };
    Values f(1), df_dx(1), df_dxdot(1);
    const auto of_derivative =
        make_system({.unknowns = {{"x"}}, .derivative = throwing})->workspace();
    const auto of_residual = make_system({.unknowns = {{"x"}}, .residual = throwing})->workspace();
    SystemFunctions functions = decay();
    functions.jacobian = throwing;
    const auto of_jacobian = make_system(functions)->workspace();
    const Values x{1.0};
    for (const Evaluation e :
         {of_derivative->residual(0.0, x, x, f),
          of_derivative->ability<ExplicitForm>()->derivative(0.0, x, f),
          of_derivative->jacobian(0.0, x, x, df_dx, df_dxdot), of_residual->residual(0.0, x, x, f),
          of_residual->jacobian(0.0, x, x, df_dx, df_dxdot),
          of_jacobian->jacobian(0.0, x, x, df_dx, df_dxdot)}) {
      EXPECT_EQ(e.status(), Evaluation::Status::failed);
    }
    EXPECT_TRUE(of_jacobian->residual(0.0, x, x, f));
  }
}

TEST(FunctionSystem, AnExceptionDuringDifferencesFailsThem) {
  const auto system =
      make_system({.unknowns = {{"x", 1.0}}, .derivative = [](double, auto x, auto f) {
                     if (x[0] > 1.0) throw std::runtime_error("too far");
                     f[0] = x[0];
                   }});
  EXPECT_EQ(jacobian_of(*system, {1.0}, {0.0}).evaluation.status(), Evaluation::Status::failed);
}

// ---- step_accepted ---------------------------------------------------------------------------------

TEST(FunctionSystem, StepsAreReportedOnlyIfAskedFor) {
  EXPECT_EQ(make_system(decay())->workspace()->ability<StepRefresh>(), nullptr);
  SystemFunctions functions = decay();
  functions.step_accepted = [](double t, auto x, auto xdot) {
    return t == 1.0 && x[0] == 2.0 && xdot[0] == 3.0 ? StepRefresh::Answer::restart
                                                     : StepRefresh::Answer::unchanged;
  };
  const auto workspace = make_system(functions)->workspace();
  auto* refresh = workspace->ability<StepRefresh>();
  ASSERT_NE(refresh, nullptr);
  EXPECT_EQ(refresh->step_accepted(1.0, Values{2.0}, Values{3.0}), StepRefresh::Answer::restart);
  EXPECT_EQ(refresh->step_accepted(0.0, Values{2.0}, Values{3.0}), StepRefresh::Answer::unchanged);
}

TEST(FunctionSystem, AThrowAfterAStepFailsTheNextEvaluation) {
  SystemFunctions functions = decay();
  functions.step_accepted = [](double, auto, auto) -> StepRefresh::Answer {
    throw std::runtime_error("no");
  };
  const auto system = make_system(functions);
  const auto workspace = system->workspace();
  Values f(1);
  const Values x{1.0};
  EXPECT_TRUE(workspace->residual(0.0, x, x, f));
  workspace->ability<StepRefresh>()->step_accepted(0.0, x, x);
  EXPECT_EQ(workspace->residual(0.0, x, x, f).status(), Evaluation::Status::failed);
  EXPECT_TRUE(system->workspace()->residual(0.0, x, x, f));  // others are not concerned
}

// ---- refusals --------------------------------------------------------------------------------------

TEST(FunctionSystem, RefusesWhatDoesNotFitTogether) {
  EXPECT_EQ(refusal_of({.unknowns = {}, .derivative = decay().derivative}),
            "list of functions: there are no unknowns");
  EXPECT_EQ(refusal_of({.unknowns = {{"x"}}}),
            "list of functions: neither `residual` nor `derivative` is given");

  const auto changed = [](const std::function<void(SystemFunctions&)>& change) {
    SystemFunctions functions = rod();
    change(functions);
    return refusal_of(functions);
  };
  EXPECT_EQ(changed([](auto&) {}), "accepted");
  EXPECT_EQ(changed([](auto& s) { s.unknowns[1].name = ""; }), "unknown 2: it has no name");
  EXPECT_EQ(changed([](auto& s) { s.unknowns[1].name = "angle"; }),
            "unknown 'angle': two unknowns have this name");
  EXPECT_EQ(changed([](auto& s) { s.unknowns[0].start = INFINITY; }),
            "unknown 'angle': its start value is inf");
  EXPECT_EQ(changed([](auto& s) { s.unknowns[0].nominal = -1.0; }),
            "unknown 'angle': its nominal value is -1 and must be positive and finite");
  EXPECT_EQ(changed([](auto& s) { s.derivative = [](auto...) {}; }),
            "unknown 'force': `derivative` gives x' for every unknown, but this one is not "
            "differential");
  EXPECT_EQ(changed([](auto& s) { s.equations.pop_back(); }),
            "list of functions: 2 equations are named for 3 unknowns");
  EXPECT_EQ(changed([](auto& s) { s.equations[2] = ""; }), "equation 3: it has no name");
  EXPECT_EQ(changed([](auto& s) { s.equations[2] = "swing"; }),
            "equation 'swing': two equations have this name");
  EXPECT_EQ(
      changed([](auto& s) { s.pattern = pattern_of(2, [](index_t, index_t) { return true; }); }),
      "pattern: it has 2 rows and 2 columns for 3 unknowns");
  EXPECT_EQ(changed([](auto& s) {
              s.pattern = CscPattern{.n_rows = 3, .n_cols = 3, .column_start = {0}, .row = {}};
            }),
            "pattern: column_start has 1 elements for 3 columns");
}

TEST(FunctionSystem, RefusesAFullPatternOfAVeryLargeSystem) {
  SystemFunctions functions = decay();
  for (int i = 1; i < 50'000; ++i) functions.unknowns.push_back({"x" + std::to_string(i)});
  EXPECT_TRUE(refusal_of(functions).starts_with("pattern: a full one of 50000 unknowns"));
}

TEST(FunctionSystem, AddsTheDiagonalUnlessTheLayoutIsTheUsers) {
  SystemFunctions functions{.unknowns = {{"a"}, {"b"}}, .derivative = [](double, auto x, auto f) {
                              f[0] = x[1];
                              f[1] = x[0];
                            }};
  functions.pattern = pattern_of(2, [](index_t i, index_t j) { return i != j; });
  EXPECT_EQ(make_system(functions)->pattern(),
            pattern_of(2, [](index_t, index_t) { return true; }));
  functions.jacobian = [](auto...) {};
  EXPECT_EQ(refusal_of(functions),
            "pattern: the residual x' - f(t, x) needs a diagonal entry for unknown 'a'");
}

TEST(FunctionSystem, EvaluationsAllocateNothing) {
  if (!test::counts_allocations()) GTEST_SKIP() << "this tree brings its own allocator";
  SystemFunctions explicit_functions = decay();
  explicit_functions.step_accepted = [](auto...) { return StepRefresh::Answer::unchanged; };
  for (const auto& system : {make_system(rod()), make_system(explicit_functions)}) {
    const std::size_t n = system->size();
    const Values x(n, 0.5), xdot(n, 0.25);
    Values f(n), df_dx(system->pattern().row.size()), df_dxdot(df_dx.size());
    const auto workspace = system->workspace();
    const long before = test::allocations();
    bool ok = static_cast<bool>(workspace->residual(0.0, x, xdot, f));
    ok = ok && workspace->jacobian(0.0, x, xdot, df_dx, df_dxdot);
    if (auto* form = workspace->ability<ExplicitForm>()) ok = ok && form->derivative(0.0, x, f);
    if (auto* refresh = workspace->ability<StepRefresh>()) refresh->step_accepted(0.0, x, xdot);
    const long after = test::allocations();
    EXPECT_TRUE(ok);
    EXPECT_EQ(after - before, 0);
  }
}

TEST(FunctionSystem, TheAllocationTestSeesAllocations) {
  if (!test::counts_allocations()) GTEST_SKIP() << "this tree brings its own allocator";
  const auto workspace =
      make_system({.unknowns = {{"x"}},
                   .derivative = [](double, auto x,
                                    auto xdot) { xdot[0] = Values(x.begin(), x.end())[0]; }})
          ->workspace();
  Values f(1);
  const Values x{1.0};
  const long before = test::allocations();
  ASSERT_TRUE(workspace->residual(0.0, x, x, f));
  EXPECT_GT(test::allocations() - before, 0);
}

// ---- Jacobian --------------------------------------------------------------------------------------

TEST(FunctionSystem, AJacobianOfTheUserArrivesAsWritten) {
  SystemFunctions functions = rod();
  functions.jacobian = [](double, auto x, auto xdot, auto dx, auto dxdot) {
    dx[3] = x[0];
    dxdot[0] = xdot[1];
  };
  const Parts parts = jacobian_of(*make_system(functions), {2.0, 0.0, 0.0}, {0.0, 3.0, 0.0});
  ASSERT_TRUE(parts.evaluation);
  EXPECT_EQ(parts.df_dx, (Values{0, 0, 0, 2, 0, 0, 0, 0, 0}));
  EXPECT_EQ(parts.df_dxdot, (Values{3, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(FunctionSystem, DifferencesAreRightToHalfOfTheDigits) {
  const Values x{0.5, 0.25, 9.0}, xdot{0.1, 0.2, 0.3};
  const Parts parts = jacobian_of(*make_system(rod()), x, xdot);
  ASSERT_TRUE(parts.evaluation);
  const Values dx{0.0, 9.81 * std::cos(0.5), 9.81 * std::sin(0.5), -1.0, 0.0, -0.5, 0.0, 0.0, 1.0};
  const Values dxdot{1, 0, 0, 0, 1, 0, 0, 0, 0};
  // Truncation h |F''|/2 and rounding 4 eps |terms|/h with h = sqrt(eps) max(|x|, nominal); the
  // largest |F''| is 9.81, terms are below 20, h is at least 1.5e-8 and at most 10 times that
  // (in the linear unknown 'force').
  const double allowed = std::sqrt(eps) * (2.0 * 9.81 / 2.0 + 4.0 * 20.0);
  for (std::size_t s = 0; s < 9; ++s) {
    EXPECT_NEAR(parts.df_dx[s], dx[s], allowed) << s;
    EXPECT_NEAR(parts.df_dxdot[s], dxdot[s], allowed) << s;
  }
  // What does not depend on an unknown is exactly zero.
  EXPECT_EQ(parts.df_dx[0], 0.0);
  EXPECT_EQ(parts.df_dxdot[8], 0.0);
}

TEST(FunctionSystem, IncrementsFollowNominalValues) {
  // A concentration of 1e-9: an increment meant for 1 would be far outside the parabola's centre.
  SystemFunctions functions{.unknowns = {{.name = "c", .start = 0.0, .nominal = 1e-9}},
                            .derivative = [](double, auto x, auto f) { f[0] = 1e9 * x[0] * x[0]; }};
  const auto entry = [&] { return jacobian_of(*make_system(functions), {1e-9}, {0.0}).df_dx[0]; };
  const double allowed = 4.0 * std::sqrt(eps) * 2.0;  // of dF/dx = -2: h F''/2 is 2 sqrt(eps) / 2
  EXPECT_NEAR(entry(), -2.0, allowed);
  functions.unknowns[0].nominal = 1.0;
  EXPECT_GT(std::fabs(entry() + 2.0), allowed);
}

TEST(FunctionSystem, DerivativeAloneHasTheExactUnitMatrix) {
  const Parts parts = jacobian_of(*make_system({.unknowns = {{"a"}, {"b"}},
                                                .derivative =
                                                    [](double, auto x, auto f) {
                                                      f[0] = 2.0 * x[1];
                                                      f[1] = 4.0 * x[0];
                                                    }}),
                                  {0.0, 0.0}, {1e20, -1e20});
  ASSERT_TRUE(parts.evaluation);
  EXPECT_EQ(parts.df_dxdot, (Values{1, 0, 0, 1}));
  // At x = 0 the increments are powers of two: linear functions are differenced exactly, however
  // large x' is.
  EXPECT_EQ(parts.df_dx, (Values{0, -4, -2, 0}));
}

TEST(FunctionSystem, DifferencesStayInsideTheDomain) {
  // Both columns are one group; the first lives below 1, the second above 2.
  SystemFunctions functions{.unknowns = {{"low", 1.0}, {"high", 2.0}},
                            .derivative = [](double, auto x, auto f) {
                              f[0] = x[0] > 1.0 ? NAN : 3.0 * x[0];
                              f[1] = x[1] < 2.0 ? NAN : 5.0 * x[1];
                            }};
  functions.pattern = pattern_of(2, [](index_t i, index_t j) { return i == j; });
  const Parts parts = jacobian_of(*make_system(functions), {1.0, 2.0}, {0.0, 0.0});
  ASSERT_TRUE(parts.evaluation);
  const double allowed = 8.0 * 10.0 * std::sqrt(eps);  // rounding of terms up to 10
  EXPECT_NEAR(parts.df_dx[0], -3.0, allowed);
  EXPECT_NEAR(parts.df_dx[1], -5.0, allowed);

  const auto isolated =
      make_system({.unknowns = {{"x", 1.0}},
                   .derivative = [](double, auto x, auto f) { f[0] = x[0] == 1.0 ? 0.0 : NAN; }});
  EXPECT_EQ(jacobian_of(*isolated, {1.0}, {0.0}).evaluation.status(),
            Evaluation::Status::out_of_domain);
}

/// Residual evaluations that one Jacobian takes.
long evaluations_of_jacobian(std::size_t n, std::optional<CscPattern> pattern, bool differential) {
  long calls = 0;
  SystemFunctions functions{.unknowns = {}, .residual = [&](double, auto x, auto xdot, auto f) {
                              ++calls;
                              for (std::size_t i = 0; i < f.size(); ++i) {
                                f[i] = xdot[i] * (differential ? 1.0 : 0.0) + 2.0 * x[i];
                                if (i > 0) f[i] -= x[i - 1];
                                if (i + 1 < f.size()) f[i] -= x[i + 1];
                              }
                            }};
  for (std::size_t i = 0; i < n; ++i) {
    functions.unknowns.push_back({.name = "x" + std::to_string(i), .differential = differential});
  }
  functions.pattern = std::move(pattern);
  const auto system = make_system(functions);
  const auto workspace = system->workspace();
  Values x(n, 0.0), df_dx(system->pattern().row.size()), df_dxdot(df_dx.size());
  EXPECT_TRUE(workspace->jacobian(0.0, x, x, df_dx, df_dxdot));
  // Exact at zero: the increments are powers of two and the residual is linear.
  const CscPattern& p = system->pattern();
  for (std::size_t j = 0; j < n; ++j) {
    for (auto s = static_cast<std::size_t>(p.column_start[j]);
         s < static_cast<std::size_t>(p.column_start[j + 1]); ++s) {
      const auto i = static_cast<std::size_t>(p.row[s]);
      const bool neighbour = i + 1 == j || j + 1 == i;
      EXPECT_EQ(df_dx[s], i == j ? 2.0 : neighbour ? -1.0 : 0.0) << i << " " << j;
      EXPECT_EQ(df_dxdot[s], i == j && differential ? 1.0 : 0.0) << i << " " << j;
    }
  }
  return calls;
}

TEST(FunctionSystem, ThreeGroupsAreEnoughForThreeDiagonals) {
  const auto near = [](index_t i, index_t j) { return std::abs(i - j) <= 1; };
  // The point itself, three groups by x, three by x'.
  EXPECT_EQ(evaluations_of_jacobian(40, pattern_of(40, near), true), 1 + 3 + 3);
  // Without derivatives nothing is spent on x'.
  EXPECT_EQ(evaluations_of_jacobian(40, pattern_of(40, near), false), 1 + 3);
  // A full pattern has nothing to group.
  EXPECT_EQ(evaluations_of_jacobian(40, std::nullopt, true), 1 + 40 + 40);
}

}  // namespace
}  // namespace saltus
