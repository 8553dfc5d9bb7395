// The exact solutions of random relay systems, held against a quadruple precision integration that knows
// neither series nor events; and runs beside them.
#include <gtest/gtest.h>

#include "problems/relay_systems_study.hpp"
#include "problems/switched_pencils.hpp"

namespace saltus::problems {
namespace {

constexpr std::uint64_t first_relay_seed = 20260301;

/// Multipliers of kept surfaces by Cramer's rule from the fields at a point, and the field they give.
struct RelayPoint {
  std::vector<Quad> u, xdot;
};
RelayPoint point_of(const RelaySystem& s, const RelaySides& sides, const std::vector<Quad>& x) {
  std::vector<std::vector<Quad>> f(s.m + 1, std::vector<Quad>(s.n));
  for (std::uint32_t k = 0; k <= s.m; ++k) {
    for (std::uint32_t i = 0; i < s.n; ++i) {
      f[k][i] = Quad(s.f[k].b[i]);
      for (std::uint32_t j = 0; j < s.n; ++j) f[k][i] += Quad(s.f[k].a[i][j]) * x[j];
    }
  }
  const auto normal = [&](std::uint32_t k, std::uint32_t of) {
    Quad sum = of == 0 ? Quad(-s.surfaces[k].e) : Quad(0);
    for (std::uint32_t i = 0; i < s.n; ++i) sum += Quad(s.surfaces[k].w[i]) * f[of][i];
    return sum;
  };
  RelayPoint p;
  for (std::uint32_t k = 0; k < s.m; ++k) p.u.push_back(Quad(sides[k]));
  if (s.m == 2 && sides[0] == 0 && sides[1] == 0) {
    const Quad a = normal(0, 1), b = normal(0, 2), c = normal(1, 1), d = normal(1, 2);
    const Quad det = a * d - b * c;
    p.u[0] = (b * normal(1, 0) - d * normal(0, 0)) / det;
    p.u[1] = (c * normal(0, 0) - a * normal(1, 0)) / det;
  } else {
    for (std::uint32_t k = 0; k < s.m; ++k) {
      if (sides[k] != 0) continue;
      Quad rest = normal(k, 0);
      for (std::uint32_t j = 0; j < s.m; ++j)
        if (j != k) rest += p.u[j] * normal(k, j + 1);
      p.u[k] = -rest / normal(k, k + 1);
    }
  }
  for (std::uint32_t i = 0; i < s.n; ++i) {
    p.xdot.push_back(f[0][i]);
    for (std::uint32_t k = 0; k < s.m; ++k) p.xdot[i] += p.u[k] * f[k + 1][i];
  }
  return p;
}

/// Midpoint rule with 2, 4, …, 24 parts, extrapolated (Gragg): order 24.
std::vector<Quad> extrapolated_step(const RelaySystem& s, const RelaySides& sides,
                                    const std::vector<Quad>& x, Quad h) {
  std::vector<std::vector<Quad>> table;
  for (int row = 0; row < 12; ++row) {
    const int parts = 2 * (row + 1);
    const Quad part = h / Quad(parts);
    std::vector<Quad> before = x, now = x;
    const std::vector<Quad> f = point_of(s, sides, x).xdot;
    for (std::uint32_t i = 0; i < s.n; ++i) now[i] += part * f[i];
    for (int k = 1; k < parts; ++k) {
      const std::vector<Quad> at = point_of(s, sides, now).xdot;
      for (std::uint32_t i = 0; i < s.n; ++i) before[i] += Quad(2) * part * at[i];
      std::swap(before, now);
    }
    table.push_back(now);
    for (int k = row; k-- > 0;) {
      const Quad ratio = sqr(Quad(parts) / Quad(2 * (k + 1)));
      for (std::uint32_t i = 0; i < s.n; ++i) {
        auto& to = table[static_cast<std::size_t>(k)][i];
        const Quad better = table[static_cast<std::size_t>(k) + 1][i];
        to = better + (better - to) / (ratio - Quad(1));
      }
    }
  }
  return table[0];
}

/// The largest contradiction to a reference: functions that are not zero where it says so, and its end state,
/// in units of what it makes of errors.
double contradiction(const RelaySystem& s, const RelayReference& exact) {
  std::vector<Quad> x;
  for (const double v : s.start) x.push_back(Quad(v));
  double t = 0.0, worst = 0.0;
  const auto walk = [&](const RelaySides& sides, double until) {
    const int n = std::max(1, static_cast<int>(std::ceil((until - t) / 0.05)));
    const Quad h = (Quad(until) - Quad(t)) / Quad(n);
    for (int k = 0; k < n; ++k) x = extrapolated_step(s, sides, x, h);
    t = until;
  };
  for (const RelayInstant& i : exact.instants) {
    walk(i.before, i.t);
    for (const auto& [k, change] : i.changes()) {
      const RelayPoint p = point_of(s, i.before, x);
      Quad g = Quad(-s.surfaces[k].d) - Quad(s.surfaces[k].e) * Quad(t);
      for (std::uint32_t j = 0; j < s.n; ++j) g += Quad(s.surfaces[k].w[j]) * x[j];
      const Quad zero = change == RelayChange::exits ? abs(p.u[k]) - Quad(1) : g;
      worst = std::max(worst, std::abs(static_cast<double>(zero)) / i.state_amplification);
    }
  }
  walk(exact.instants.empty() ? exact.first : exact.instants.back().after, s.t_end);
  for (std::uint32_t i = 0; i < s.n; ++i) {
    const double error = std::abs(static_cast<double>(x[i] - Quad(exact.state[i])));
    worst = std::max(worst, error / exact.state_amplification);
  }
  return worst;
}

/// Where solutions reach their end; those without any event tell little.
std::vector<std::uint64_t> telling_seeds(std::size_t n) {
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = first_relay_seed; seeds.size() < n; ++seed) {
    const RelayReference exact = solve_relays(RelayWriter(seed).write());
    if (exact.end == RelayEnd::finished && exact.hard.empty() && exact.instants.size() > 1)
      seeds.push_back(seed);
  }
  return seeds;
}

// Times of instants are rounded to double: 5 eps at most, times the slope of functions.
constexpr double allowed_contradiction = 100 * std::numeric_limits<double>::epsilon();

TEST(RelayReferences, AgreeWithAnIntegrationInQuadruplePrecision) {
  for (const std::uint64_t seed : telling_seeds(12)) {
    const RelaySystem s = RelayWriter(seed).write();
    EXPECT_LT(contradiction(s, solve_relays(s)), allowed_contradiction) << "seed " << seed;
  }
}

TEST(RelayReferences, ARelayOfOtherStrengthIsNoticed) {
  int n_noticed = 0;
  for (const std::uint64_t seed : telling_seeds(6)) {
    const RelaySystem s = RelayWriter(seed).write();
    RelaySystem other = s;
    for (double& b : other.f[1].b) b *= 1 + 1e-9;
    n_noticed += contradiction(s, solve_relays(other)) > allowed_contradiction;
  }
  EXPECT_EQ(n_noticed, 6);
}

TEST(RelayReferences, AreTheSameInQuadruplePrecision) {
  for (const std::uint64_t seed : telling_seeds(6)) {
    const RelaySystem s = RelayWriter(seed).write();
    const RelayReference exact = solve_relays(s), quad = RelaySolver<Quad>(s).solve();
    ASSERT_EQ(exact.instants.size(), quad.instants.size()) << "seed " << seed;
    for (std::size_t i = 0; i < exact.instants.size(); ++i) {
      const RelayInstant& a = exact.instants[i];
      EXPECT_NEAR(a.t, quad.instants[i].t,
                  2 * std::numeric_limits<double>::epsilon() * (1 + a.time_amplification));
      EXPECT_EQ(a.after, quad.instants[i].after) << "seed " << seed;
    }
  }
}

TEST(RelayReferences, AffinePiecesAreMatrixExponentials) {
  for (const std::uint64_t seed : telling_seeds(30)) {
    const RelaySystem s = RelayWriter(seed).write();
    if (!s.has_constant_relays() || s.m != 1) continue;
    // Sliding: w . (A x + b + u c) = e; with x and 1 as unknowns a linear system.
    const RelaySides sides = {0};
    const AffineField &f = s.f[0], &relay = s.f[1];
    LongMatrix a(s.n + 1);
    long double towards = 0.0L;
    for (std::size_t i = 0; i < s.n; ++i) towards += s.surfaces[0].w[i] * relay.b[i];
    for (std::size_t i = 0; i < s.n; ++i) {
      for (std::size_t j = 0; j < s.n; ++j) a(i, j) = f.a[i][j];
      a(i, s.n) = f.b[i];
    }
    const LongMatrix sides_apart = a;
    for (std::size_t i = 0; i < s.n; ++i) {
      for (std::size_t j = 0; j <= s.n; ++j) {
        long double normal = j == s.n ? -s.surfaces[0].e : 0.0L;
        for (std::size_t k = 0; k < s.n; ++k) normal += s.surfaces[0].w[k] * sides_apart(k, j);
        a(i, j) -= relay.b[i] * normal / towards;
      }
    }
    const long double t = 1.5L;
    for (long double& v : a.values) v *= t;
    LongVector start(s.n + 1, 1.0L);
    std::vector<long double> x;
    for (std::size_t i = 0; i < s.n; ++i) x.push_back(start[i] = s.start[i]);
    const LongVector closed = exponential(a) * start;
    const std::vector<long double> series = RelaySolver<long double>(s).flow(sides, 0.0L, x, t);
    long double scale = 1.0L;
    for (const long double v : closed) scale = std::max(scale, std::abs(v));
    for (std::size_t i = 0; i < s.n; ++i) {
      // Rounding of the exponential: a few hundred products of numbers up to exp(|a| t).
      EXPECT_LT(std::abs(series[i] - closed[i]), 1e-16L * scale) << "seed " << seed;
    }
  }
}

TEST(RelayReferences, CrossingsInTurnLeadToACorner) {
  // x' = -0.5 sx - sy, y' = sx - 0.5 sy: from (1, 0) around the corner, by a third of the way each time. From an
  // axis at distance r: r / 1.5 s to the next one, at distance r / 3; so 1 / 1.5 * 1.5 = 1 s in all.
  RelaySystem s;
  s.n = s.m = 2;
  const std::vector<std::vector<double>> none(2, {0.0, 0.0});
  s.f = {{none, {0.0, 0.0}}, {none, {-0.5, 1.0}}, {none, {-1.0, -0.5}}};
  s.surfaces = {{{1.0, 0.0}}, {{0.0, 1.0}}};
  s.start = {1.0, 0.0};
  s.starts_on = {0, 1};
  s.t_end = 2.0;
  const RelayReference exact = solve_relays(s);
  ASSERT_EQ(exact.end, RelayEnd::finished);
  ASSERT_FALSE(exact.instants.empty());
  EXPECT_TRUE(exact.instants.back().is_corner);
  // Crossings within 1e-12 are one.
  EXPECT_NEAR(exact.instants.back().t, 1.0, 1e-11);
  EXPECT_NEAR(exact.instants[0].t, 2.0 / 3.0, 1e-15);
  EXPECT_NEAR(exact.instants[1].t, 8.0 / 9.0, 1e-15);
  EXPECT_NEAR(exact.state[0], 0.0, 1e-11);
  EXPECT_NEAR(exact.state[1], 0.0, 1e-11);
}

TEST(RandomRelays, AnExitFromOneOfTwoSurfacesIsNotFollowedByACrossingOfItsError) {
  // Leaves one surface along a tangent and stays on the other: the polynomial of the next step dips below the first
  // by a third of the tolerance.
  constexpr std::uint64_t seed = 20261119109;
  const RelaySystem system = relay_case(seed);
  const RelayReference exact = solve_relays(system);
  for (const double tolerance : {1e-6, 1e-7, 1e-9}) {
    RelayJudge judge = relay_judge(EngineKind::radau);
    judge.tolerance = tolerance;
    const Solution s =
        simulate(system.model(), relay_options(system, EngineKind::radau, tolerance));
    const RelayOutcome outcome = judge_relays(s, exact, judge);
    EXPECT_EQ(outcome.verdict, RelayVerdict::right) << tolerance << ": " << outcome.what;
  }
}

TEST(SlowRelayReferences, EveryKindOfCaseIsAmongThem) {
  int n_of_change[3] = {}, n_of_end[4] = {}, n_moving = 0, n_rational = 0, n_starts = 0, n_two = 0,
      n_spatial = 0;
  for (std::uint64_t seed = first_relay_seed; seed < first_relay_seed + 2000; ++seed) {
    const RelaySystem s = RelayWriter(seed).write();
    const RelayReference exact = solve_relays(s);
    ++n_of_end[static_cast<int>(exact.end)];
    bool slides = false, two = false;
    for (const RelayInstant& i : exact.instants) {
      for (const auto& [k, change] : i.changes()) ++n_of_change[static_cast<int>(change)];
      slides = slides || std::count(i.after.begin(), i.after.end(), 0) > 0;
      two = two || std::count(i.after.begin(), i.after.end(), 0) == 2;
    }
    n_moving += slides && s.surfaces[0].e != 0;
    n_rational += slides && !s.has_constant_relays();
    n_starts += s.starts_on[0] && std::count(exact.first.begin(), exact.first.end(), 0) > 0;
    n_two += two;
    n_spatial += slides && s.n == 3;
  }
  for (const int n : n_of_change) EXPECT_GT(n, 200);
  EXPECT_GT(n_of_end[static_cast<int>(RelayEnd::several)], 0);
  EXPECT_GT(n_moving, 50);
  EXPECT_GT(n_rational, 50);
  EXPECT_GT(n_starts, 50);
  EXPECT_GT(n_two, 50);
  EXPECT_GT(n_spatial, 100);
  // Few cases have no answer, or one that hangs by a thread.
  EXPECT_LT(2000 - n_of_end[static_cast<int>(RelayEnd::finished)], 60);
}

// ---- runs beside them ----------------------------------------------------------------------------------

void expect_right_or_refused(std::uint64_t n_cases) {
  const RelayStudy study = study_relay_systems(first_relay_seed, n_cases);
  EXPECT_EQ(study.n_wrong, 0U) << study.complaints_of_wrong;
  EXPECT_LE(static_cast<double>(study.n_refused), 0.03 * static_cast<double>(n_cases))
      << study.complaints_of_refused;
  EXPECT_LE(study.worst, 1.0);
  EXPECT_LE(study.flip_change, 1.0);
  EXPECT_GT(study.n_events[static_cast<int>(RelayChange::enters)], n_cases / 4);
  EXPECT_GT(study.n_events[static_cast<int>(RelayChange::exits)], n_cases / 10);
}

TEST(RandomRelays, AreRightOrRefusedByName) { expect_right_or_refused(40); }
TEST(SlowRandomRelays, AreRightOrRefusedByName) { expect_right_or_refused(200); }

TEST(RandomRelays, AnotherSystemIsNoticed) {
  for (const std::uint64_t seed : telling_seeds(6)) {
    const RelaySystem s = RelayWriter(seed).write();
    RelaySystem other = s;
    for (double& b : other.f[1].b) b *= 1.001;
    const Solution run = simulate(s.model(), relay_options(s, EngineKind::dopri5, 1e-9));
    ASSERT_TRUE(run.ok()) << run.report.message;
    EXPECT_EQ(judge_relays(run, solve_relays(other), {}).verdict, RelayVerdict::wrong);
  }
}

/// Unknowns besides the states: the sides are told apart by equations that engines solve for them.
TEST(RandomRelays, AlgebraicUnknownsAreTheSameRelays) {
  for (const RelayWriting writing :
       {RelayWriting::algebraic, RelayWriting::products, RelayWriting::cubes}) {
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
      for (const std::uint64_t seed : telling_seeds(12)) {
        const RelaySystem s = RelayWriter(seed).write();
        const RelayJudge judge = relay_judge(engine);
        const Solution run = simulate(s.model(writing), relay_options(s, engine, judge.tolerance));
        const RelayOutcome outcome = judge_relays(run, solve_relays(s), judge);
        EXPECT_EQ(outcome.verdict, RelayVerdict::right)
            << "seed " << seed << " " << name(engine) << ": " << outcome.what;
      }
    }
  }
}

// Steps of ida die at a point where a surface ceases to attract; the tangent of a multiplier led to a time
// far behind the end from there.
TEST(RandomRelays, ADyingRunDoesNotGoOnByATangent) {
  const RelaySystem s = RelayWriter(502384).write();
  const RelayReference exact = solve_relays(s);
  ASSERT_NE(exact.end, RelayEnd::finished);
  const Solution run =
      simulate(s.model(RelayWriting::algebraic), relay_options(s, EngineKind::ida, 1e-9));
  EXPECT_FALSE(run.ok());
  EXPECT_EQ(judge_relays(run, exact, relay_judge(EngineKind::ida)).verdict, RelayVerdict::refused);
  EXPECT_NE(run.report.message.find("'g1' ceases to attract"), std::string::npos)
      << run.report.message;
  EXPECT_NEAR(run.t_end(), exact.t_end, 5000e-9);
}

// Between the ends of its steps radau's polynomial is off by 20 to 60 tolerances: what it touches, and what it does
// not quite reach, is not certain. With a smaller tolerance it is right, and certain.
TEST(RandomRelays, TouchesWithinTheErrorOfAPolynomialAreMarked) {
  for (const std::uint64_t seed : {20268217U, 20268937U, 77009227U, 28027U}) {
    const RelaySystem s = relay_case(seed);
    const RelayReference exact = solve_relays(s);
    const Solution run = simulate(s.model(), relay_options(s, EngineKind::radau, 1e-9));
    const RelayOutcome outcome = judge_relays(run, exact, relay_judge(EngineKind::radau));
    EXPECT_TRUE(outcome.verdict == RelayVerdict::right || outcome.marginal)
        << seed << ": " << outcome.what;
    const Solution finer = simulate(s.model(), relay_options(s, EngineKind::radau, 1e-13));
    EXPECT_EQ(judge_relays(finer, exact, {1e-13, 300.0}).verdict, RelayVerdict::right) << seed;
  }
}

// The matrix of a step cannot be factored where the surface ceases to attract, and IDA asks for its solution.
TEST(RandomRelays, AMatrixThatCannotBeFactoredEndsARunByName) {
  const RelaySystem s = relay_case(1019128);
  const RelayReference exact = solve_relays(s);
  const Solution run = simulate(s.model(), relay_options(s, EngineKind::ida, 1e-9));
  EXPECT_FALSE(run.ok());
  EXPECT_EQ(judge_relays(run, exact, relay_judge(EngineKind::ida)).verdict, RelayVerdict::refused);
  EXPECT_NE(run.report.message.find("'g1' ceases to attract"), std::string::npos)
      << run.report.message;
}

// Crossings towards a corner that are four decades of the tolerance apart are events, not yet its limit.
TEST(RandomRelays, ACornerIsDecidedWhereItsCrossingsCannotBeToldApart) {
  const RelaySystem s = relay_case(27688);
  const RelayReference exact = solve_relays(s);
  ASSERT_TRUE(exact.instants.back().is_corner);
  const Solution run = simulate(s.model(), relay_options(s, EngineKind::ida, 1e-9));
  const RelayOutcome outcome = judge_relays(run, exact, relay_judge(EngineKind::ida));
  EXPECT_EQ(outcome.verdict, RelayVerdict::right) << outcome.what;
}

TEST(RandomRelays, SignsAreTheSameRelays) {
  for (const std::uint64_t seed : telling_seeds(10)) {
    const RelaySystem s = RelayWriter(seed).write();
    const RunOptions o = relay_options(s, EngineKind::dopri5, 1e-9);
    const Solution a = simulate(s.model(), o), b = simulate(s.model(RelayWriting::signs), o);
    ASSERT_TRUE(a.ok() && b.ok()) << a.report.message << b.report.message;
    const auto one = relay_detail::surface_instants(a), other = relay_detail::surface_instants(b);
    ASSERT_EQ(one.size(), other.size()) << "seed " << seed << to_text(b.event_log);
    const RelayReference exact = solve_relays(s);
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_NEAR(one[i]->t, other[i]->t, 300e-9 * (1 + exact.instants[i].time_amplification));
      EXPECT_EQ(one[i]->sliding_after.size(), other[i]->sliding_after.size());
    }
  }
}

}  // namespace
}  // namespace saltus::problems
