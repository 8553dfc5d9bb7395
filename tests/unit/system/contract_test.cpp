// Each promise of a system has a system here that breaks it and nothing else; the contract must find
// it in its own words.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "breakable_system.hpp"

namespace saltus {
namespace {

using test::BreakableParts;
using test::BreakableSystem;
using test::In;
using test::Out;
using test::StatedMap;
using Sentences = std::vector<std::string>;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Sentences findings_of(BreakableParts parts, const SystemCheckOptions& options = {}) {
  return check_system(BreakableSystem(std::move(parts)), options);
}

/// One of the findings begins with these words.
testing::AssertionResult says(const Sentences& findings, const std::string& beginning) {
  for (const std::string& finding : findings) {
    if (finding.starts_with(beginning)) return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "'" << beginning << "' is not said, but:\n"
                                     << join(findings, "\n");
}

testing::AssertionResult says_only(const Sentences& findings, const std::string& beginning) {
  if (findings.size() == 1) return says(findings, beginning);
  return testing::AssertionFailure() << findings.size() << " findings:\n" << join(findings, "\n");
}

/// The same unknowns, both differential: level' = -flow, flow' = -level.
BreakableParts explicit_parts() {
  BreakableParts parts;
  parts.flags = {1, 1};
  parts.residual = [](int, double, In x, In xdot, Out f) {
    f[0] = xdot[0] + x[1];
    f[1] = xdot[1] + x[0];
    return Evaluation::ok();
  };
  parts.jacobian = [](In, Out dx, Out dxdot) {
    const double values[] = {0.0, 1.0, 1.0, 0.0};
    const double rates[] = {1.0, 0.0, 0.0, 1.0};
    std::copy(std::begin(values), std::end(values), dx.begin());
    std::copy(std::begin(rates), std::end(rates), dxdot.begin());
    return Evaluation::ok();
  };
  parts.derivative = [](In x, Out xdot) {
    xdot[0] = -x[1];
    xdot[1] = -x[0];
    return Evaluation::ok();
  };
  return parts;
}

// ---- systems that keep the contract ---------------------------------------------------------------

TEST(SystemContract, FindsNothingInAGoodSystem) {
  EXPECT_EQ(findings_of({}), Sentences{});
  EXPECT_EQ(findings_of(explicit_parts()), Sentences{});
  EXPECT_EQ(findings_of({}, {.n_points = 1, .seed = 77, .t = 3.0}), Sentences{});
}

TEST(SystemContract, FindsNothingInSystemsOfFunctions) {
  const SystemFunctions oscillator{.unknowns = {{"x", 1.0}, {"v", 0.0}},
                                   .derivative = [](double t, auto x, auto xdot) {
                                     xdot[0] = x[1];
                                     xdot[1] = -x[0] * x[0] * x[0] + std::sin(t);
                                   }};
  EXPECT_EQ(check_system(*make_system(oscillator)), Sentences{});

  SystemFunctions with_pattern = oscillator;  // df/dx has no diagonal; x' adds it
  with_pattern.pattern =
      CscPattern{.n_rows = 2, .n_cols = 2, .column_start = {0, 1, 2}, .row = {1, 0}};
  EXPECT_EQ(check_system(*make_system(with_pattern)), Sentences{});

  SystemFunctions with_jacobian = oscillator;
  with_jacobian.jacobian = [](double, auto x, auto, auto dx, auto dxdot) {
    dx[1] = 3.0 * x[0] * x[0];
    dx[2] = -1.0;
    dxdot[0] = dxdot[3] = 1.0;
  };
  EXPECT_EQ(check_system(*make_system(with_jacobian)), Sentences{});
}

TEST(SystemContract, FindsNothingWhenUnitsAreFarApart) {
  const auto reactor = make_system(
      {.unknowns = {{.name = "pressure", .start = 2e7, .nominal = 1e7},
                    {.name = "fraction", .start = 1e-6, .nominal = 1e-6},
                    {.name = "rate", .start = 0.0, .differential = false, .nominal = 1e-9}},
       .residual = [](double, auto x, auto xdot, auto f) {
         f[0] = xdot[0] - 1e12 * x[2] * std::sqrt(x[0]);
         f[1] = xdot[1] + x[2];
         f[2] = x[2] - 1e-3 * x[1] * std::log(x[0] / 1e5);
       }});
  EXPECT_EQ(check_system(*reactor), Sentences{});
}

TEST(SystemContract, AllowsPointsOutsideTheDomain) {
  BreakableParts parts;
  parts.start.x = {0.0, 0.5};  // half of the neighbourhood has a negative level
  parts.residual = [good = parts.residual](int w, double t, In x, In xdot, Out f) {
    return x[0] < 0.0 ? Evaluation::out_of_domain(1) : good(w, t, x, xdot, f);
  };
  EXPECT_EQ(findings_of(std::move(parts)), Sentences{});
}

// ---- description -----------------------------------------------------------------------------------

TEST(SystemContract, FindsASystemWithoutUnknowns) {
  BreakableParts parts;
  parts.size = 0;
  EXPECT_TRUE(says_only(findings_of(parts), "the system has no unknowns"));
}

TEST(SystemContract, FindsNamesThatAreUsedTwice) {
  BreakableParts parts;
  parts.unknowns = {"level", "level"};
  EXPECT_TRUE(says_only(findings_of(parts), "unknowns 0 and 1 have the same name 'level'"));
  parts = {};
  parts.equations = {"valve", "valve"};
  EXPECT_TRUE(says_only(findings_of(parts), "equations 0 and 1 have the same name 'valve'"));
  parts = {};
  parts.equations = {"balance", ""};
  EXPECT_TRUE(says_only(findings_of(parts), "equation 1 has no name"));
}

TEST(SystemContract, FindsPatternsThatDoNotFit) {
  BreakableParts parts;
  parts.pattern.row = {1, 0, 0, 1};
  EXPECT_TRUE(says_only(findings_of(parts), "the pattern is not valid: rows of column 0"));
  parts = {};
  parts.pattern = {.n_rows = 1, .n_cols = 1, .column_start = {0, 1}, .row = {0}};
  EXPECT_TRUE(says_only(findings_of(parts), "the pattern has 1 rows and 1 columns for 2 unknowns"));
}

TEST(SystemContract, FindsListsOfWrongLength) {
  BreakableParts parts;
  parts.flags = {1};
  EXPECT_TRUE(says_only(findings_of(parts), "carries_derivative() has 1 elements for 2 unknowns"));
  parts = {};
  parts.start.xdot.clear();
  EXPECT_TRUE(says_only(findings_of(parts), "start_values().xdot has 0 elements for 2 unknowns"));
}

TEST(SystemContract, FindsUselessNominalAndStartValues) {
  BreakableParts parts;
  parts.nominal = {1.0, 0.0};
  EXPECT_TRUE(says_only(findings_of(parts), "the nominal value of 'flow' is 0"));
  parts = {};
  parts.start.x = {not_a_number, 0.0};
  EXPECT_TRUE(says_only(findings_of(parts), "the start values of 'level' contain nan"));
}

// ---- values ----------------------------------------------------------------------------------------

TEST(SystemContract, FindsASystemThatCannotBeEvaluated) {
  BreakableParts parts;
  parts.residual = [](int, double, In, In, Out) { return Evaluation::out_of_domain(1); };
  EXPECT_TRUE(says_only(findings_of(parts),
                        "the residual cannot be evaluated at any of 100 points around the start "
                        "values: equation 'valve' is out of its domain (seed 1)"));
  parts.residual = [](int, double, In, In, Out) { return Evaluation::failed(0); };
  EXPECT_TRUE(says(findings_of(parts), "the residual cannot be evaluated"));
  parts = {};
  parts.jacobian = [](In, Out, Out) { return Evaluation::out_of_domain(0); };
  EXPECT_TRUE(says_only(findings_of(parts), "the Jacobian cannot be evaluated at any of 5 points"));
}

TEST(SystemContract, FindsRowsThatDoNotExist) {
  BreakableParts parts;
  parts.start.x = {0.0, 0.5};
  parts.residual = [good = parts.residual](int w, double t, In x, In xdot, Out f) {
    return x[0] < 0.0 ? Evaluation::out_of_domain(7) : good(w, t, x, xdot, f);
  };
  EXPECT_TRUE(says_only(findings_of(parts), "the residual reports trouble in row 7 of 2"));
}

TEST(SystemContract, FindsExceptions) {
  BreakableParts parts;
  parts.residual = [](int, double, In, In, Out) -> Evaluation { throw std::runtime_error("oops"); };
  EXPECT_TRUE(says_only(findings_of(parts), "the system threw 'oops'"));
  parts.residual = [](int, double, In, In, Out) -> Evaluation { throw 1; };
  EXPECT_TRUE(says_only(findings_of(parts), "the system threw something"));
}

TEST(SystemContract, FindsNumbersThatAreNotFinite) {
  BreakableParts parts;
  parts.residual = [good = parts.residual](int w, double t, In x, In xdot, Out f) {
    const Evaluation e = good(w, t, x, xdot, f);
    f[1] = not_a_number;
    return e;
  };
  EXPECT_TRUE(says(findings_of(parts),
                   "the residual of equation 'valve' is nan though the evaluation reports ok"));
  parts = {};
  parts.jacobian = [good = parts.jacobian](In x, Out dx, Out dxdot) {
    const Evaluation e = good(x, dx, dxdot);
    dx[2] = std::numeric_limits<double>::infinity();
    return e;
  };
  EXPECT_TRUE(
      says(findings_of(parts), "dF/dx of equation 'balance' with respect to 'flow' is inf though"));
}

TEST(SystemContract, FindsHiddenState) {
  BreakableParts parts;
  parts.residual = [good = parts.residual, calls = 0](int w, double t, In x, In xdot,
                                                      Out f) mutable {
    const Evaluation e = good(w, t, x, xdot, f);
    f[0] += 1e-12 * calls++;
    return e;
  };
  EXPECT_TRUE(says(findings_of(parts), "the residual of equation 'balance' is not repeatable"));
}

TEST(SystemContract, FindsACacheThatLooksAtTheTimeOnly) {
  BreakableParts parts;
  parts.jacobian = [good = parts.jacobian, level = std::optional<double>()](In x, Out dx,
                                                                            Out dxdot) mutable {
    if (!level) level = x[0];
    const double stale[] = {*level, x[1]};
    *level = x[0];  // right from the second call at a point on
    return good(stale, dx, dxdot);
  };
  EXPECT_TRUE(says(findings_of(parts),
                   "dF/dx of equation 'valve' with respect to 'level' is not repeatable"));
}

TEST(SystemContract, FindsWorkspacesThatShareState) {
  BreakableParts parts;
  // The last point of any workspace but the own disturbs.
  parts.residual = [good = parts.residual, last = 0](int w, double t, In x, In xdot,
                                                     Out f) mutable {
    const Evaluation e = good(w, t, x, xdot, f);
    f[1] += last == w ? 0.0 : 1e-13;
    last = w;
    return e;
  };
  EXPECT_TRUE(says(findings_of(parts),
                   "the residual of equation 'valve' changes when another workspace is used"));
}

TEST(SystemContract, FindsWorkspacesThatDisagree) {
  BreakableParts parts;
  parts.residual = [good = parts.residual](int w, double t, In x, In xdot, Out f) {
    const Evaluation e = good(w, t, x, xdot, f);
    f[0] *= 1.0 + 1e-15 * w;
    return e;
  };
  EXPECT_TRUE(
      says_only(findings_of(parts), "the residual of equation 'balance' depends on the workspace"));
}

TEST(SystemContract, FindsOutputThatIsNotWritten) {
  BreakableParts parts;
  parts.jacobian = [](In x, Out dx, Out dxdot) {  // leaves the zeros to the caller
    dx[1] = -2.0 * x[0];
    dx[2] = dx[3] = dxdot[0] = 1.0;
    return Evaluation::ok();
  };
  EXPECT_TRUE(says(findings_of(parts),
                   "dF/dx of equation 'balance' with respect to 'level' depends on what was in the "
                   "output before"));
}

// ---- derivatives -----------------------------------------------------------------------------------

TEST(SystemContract, FindsAWrongJacobianEntry) {
  BreakableParts parts;
  parts.jacobian = [good = parts.jacobian](In x, Out dx, Out dxdot) {
    const Evaluation e = good(x, dx, dxdot);
    dx[3] = 1.5;
    return e;
  };
  EXPECT_TRUE(says_only(findings_of(parts),
                        "dF/dx of equation 'valve' with respect to 'flow' is 1.5 but differences "
                        "say "));
  parts = {};
  parts.jacobian = [good = parts.jacobian](In x, Out dx, Out dxdot) {
    const Evaluation e = good(x, dx, dxdot);
    dxdot[0] = -1.0;
    return e;
  };
  EXPECT_TRUE(
      says_only(findings_of(parts),
                "dF/dx' of equation 'balance' with respect to 'level' is -1 but differences "
                "say "));
}

TEST(SystemContract, AJacobianEntryIsJudgedByItsTolerance) {
  // level is in [0.8, 1.2], so row 'valve' has size 2 level^2, between 1.28 and 2.88.
  const auto with_error = [](double error) {
    BreakableParts parts;
    parts.jacobian = [good = parts.jacobian, error](In x, Out dx, Out dxdot) {
      const Evaluation e = good(x, dx, dxdot);
      dx[3] += error;
      return e;
    };
    return findings_of(parts, {.jacobian_tolerance = 1e-6});
  };
  EXPECT_EQ(with_error(0.5e-6), Sentences{});
  EXPECT_TRUE(says_only(with_error(4e-6), "dF/dx of equation 'valve' with respect to 'flow'"));
}

TEST(SystemContract, FindsEntriesOutsideThePattern) {
  BreakableParts parts;  // without 'valve' in the column of 'level'
  parts.pattern = {.n_rows = 2, .n_cols = 2, .column_start = {0, 1, 3}, .row = {0, 0, 1}};
  parts.jacobian = [](In, Out dx, Out dxdot) {
    dx[0] = dxdot[1] = dxdot[2] = 0.0;
    dx[1] = dx[2] = dxdot[0] = 1.0;
    return Evaluation::ok();
  };
  EXPECT_TRUE(
      says_only(findings_of(parts),
                "the pattern has no entry for equation 'valve' and 'level', but differences "
                "say that dF/dx is "));
}

TEST(SystemContract, FindsAMissingDerivativeFlag) {
  BreakableParts parts;
  parts.flags = {0, 0};
  EXPECT_TRUE(
      says_only(findings_of(parts),
                "the derivative of 'level' occurs in equation 'balance', but 'level' is not "
                "flagged"));
}

TEST(SystemContract, FindsADerivativeFlagWithoutDerivative) {
  BreakableParts parts;
  parts.flags = {1, 1};
  EXPECT_TRUE(says_only(findings_of(parts),
                        "'flow' is flagged as carrying a derivative, but no equation changes"));
}

TEST(SystemContract, DoesNotRepeatItselfForever) {
  SystemFunctions chain{.unknowns = {}, .residual = [](double, auto x, auto xdot, auto f) {
                          for (std::size_t i = 0; i < f.size(); ++i) f[i] = xdot[i] + x[i];
                        }};
  for (int i = 0; i < 25; ++i) chain.unknowns.push_back({"x" + std::to_string(i)});
  chain.jacobian = [](double, auto, auto, auto, auto) {};  // all entries are zero
  const Sentences findings = check_system(*make_system(chain));
  ASSERT_EQ(findings.size(), 11U);
  EXPECT_EQ(findings.back(), "40 more findings about Jacobian entries");
}

// ---- abilities -------------------------------------------------------------------------------------

TEST(SystemContract, FindsAnExplicitFormThatDoesNotSolveTheResidual) {
  BreakableParts parts = explicit_parts();
  parts.derivative = [](In x, Out xdot) {
    xdot[0] = -x[1];
    xdot[1] = x[0];
    return Evaluation::ok();
  };
  EXPECT_TRUE(says_only(findings_of(parts), "the explicit form does not solve equation 'valve'"));
}

TEST(SystemContract, FindsAnExplicitFormOfAnAlgebraicUnknown) {
  BreakableParts parts;
  parts.derivative = [](In x, Out xdot) {
    xdot[0] = -x[1];
    xdot[1] = 0.0;
    return Evaluation::ok();
  };
  EXPECT_TRUE(says(findings_of(parts), "there is an explicit form though 'flow' is not flagged"));
}

TEST(SystemContract, FindsAnExplicitFormThatTheResidualRefuses) {
  BreakableParts parts = explicit_parts();
  parts.residual = [good = parts.residual](int w, double t, In x, In xdot, Out f) {
    return xdot[0] < -0.3 ? Evaluation::out_of_domain(0) : good(w, t, x, xdot, f);
  };
  EXPECT_TRUE(says_only(findings_of(parts),
                        "the residual refuses what the explicit form gives: equation 'balance'"));
}

TEST(SystemContract, FindsMapsOutOfRange) {
  BreakableParts parts;
  parts.map = std::make_shared<StatedMap>(
      std::vector<StatedMap::Entry>{{.info = {"depth", "", ""}, .unknown = 2}});
  EXPECT_TRUE(
      says_only(findings_of(parts), "variable 'depth' refers to unknown 2, but there are 2"));
}

TEST(SystemContract, FindsMapsThatSayOneThingAndDoAnother) {
  BreakableParts parts;
  parts.map = std::make_shared<StatedMap>(std::vector<StatedMap::Entry>{
      {.info = {"good", "", ""}, .unknown = 1},
      {.info = {"absent", "", ""}, .present = false},
      {.info = {"wrong", "", ""}, .unknown = 0, .written = 9.0},
      {.info = {"ghost", "", ""}, .present = false, .written = 9.0},
      {.info = {"forgotten", "", ""}},
      {.info = {"good", "", ""}, .written = 1.0},
  });
  const Sentences findings = findings_of(parts);
  EXPECT_TRUE(says(findings, "variables 0 and 5 have the same name 'good'"));
  // Nothing is evaluated until the description is right.
  EXPECT_EQ(findings.size(), 1U);

  parts.map = std::make_shared<StatedMap>(std::vector<StatedMap::Entry>{
      {.info = {"good", "", ""}, .unknown = 1},
      {.info = {"absent", "", ""}, .present = false},
      {.info = {"wrong", "", ""}, .unknown = 0, .written = 9.0},
      {.info = {"ghost", "", ""}, .present = false, .written = 9.0},
      {.info = {"forgotten", "", ""}},
  });
  const Sentences values = findings_of(parts);
  EXPECT_TRUE(says(values, "variable 'wrong' is unknown 'level' with the value"));
  EXPECT_TRUE(says(values, "variable 'ghost' is not present, but the map wrote 9"));
  EXPECT_TRUE(says(values, "variable 'forgotten' is nan though the map reports ok"));
  EXPECT_EQ(values.size(), 3U);
}

// ---- options ---------------------------------------------------------------------------------------

TEST(SystemContract, SaysHowToSeeAFindingAgain) {
  BreakableParts parts;
  parts.flags = {0, 0};
  const Sentences first = findings_of(parts, {.seed = 42});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(first[0].ends_with("(seed 42, point 1)")) << first[0];
  EXPECT_EQ(findings_of(parts, {.seed = 42}), first);
}

TEST(SystemContract, RefusesToLookNowhere) {
  EXPECT_THROW(findings_of({}, {.n_points = 0}), OptionError);
}

}  // namespace
}  // namespace saltus
