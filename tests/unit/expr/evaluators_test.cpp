// Evaluators against each other: eight instances, vector functions, hulls, tiers, allocations.
#include <bit>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "support/allocation_counter.hpp"
#include "support/expression_checks.hpp"

namespace saltus::test {
namespace {

constexpr std::uint64_t evaluators_seed = 20240703;

long evaluator_cases(long slice) {
  const char* text = std::getenv("SALTUS_PROPERTY_CASES");
  return text != nullptr ? std::atol(text) : slice;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// ---- eight instances ---------------------------------------------------------------------------

/// Runs a program at eight points with eight lock masks, together and one by one; returns how many
/// values differ in any bit. `delta` is added to one argument of the runs one by one.
template <class Eight>
long count_lanes_that_differ(RandomExpressions& source, const std::vector<Output>& outputs,
                             const CompileOptions& options, double delta = 0) {
  const Graph& g = source.graph();
  const auto program = compile(g, outputs, source.segments(), options);
  Eight eight(program);
  std::vector<std::uint8_t> masks(program->n_switches(), 0);
  std::vector<std::vector<double>> expected;
  for (int lane = 0; lane < Batch::lanes; ++lane) {
    auto x = source.point();
    for (std::size_t s = 0; s < x.size(); ++s)
      for (std::size_t i = 0; i < x[s].size(); ++i) eight.input(s)[i][lane] = x[s][i];
    const auto locks = locks_at(g, outputs, source.segments(), x);
    Evaluator<double> one(program);
    x[2][0] += delta;
    load(one, x);
    one.set_locks(locks);
    expected.push_back(values(one));
    for (std::size_t s = 0; s < masks.size(); ++s)
      masks[s] = static_cast<std::uint8_t>(masks[s] | ((locks[s] == lock_true ? 1 : 0) << lane));
  }
  for (std::size_t s = 0; s < masks.size(); ++s)
    eight.set_lock_mask(static_cast<SwitchId>(s), masks[s]);
  eight.run();
  long differ = 0;
  for (std::size_t r = 0; r < eight.outputs().size(); ++r)
    for (int lane = 0; lane < Batch::lanes; ++lane)
      differ +=
          same_bits(eight.outputs()[r][lane], expected[static_cast<std::size_t>(lane)][r]) ? 0 : 1;
  return differ;
}

TEST(Evaluators, EightInstancesAreEightRunsToTheLastBit) {
  long different_twins = 0;
  for (long k = 0; k < evaluator_cases(150); ++k) {
    const std::uint64_t seed = evaluators_seed + static_cast<std::uint64_t>(k);
    for (const Locking locking : {Locking::locked, Locking::unlocked})
      for (const Tier tier : {Tier::scalar, Tier::rolled}) {
        RandomExpressions source(seed);
        Graph& g = source.graph();
        const std::vector<NodeId> rows{source.expression(5).in(g), source.expression(4).in(g)};
        const auto outputs = outputs_in_order(g, rows);
        const CompileOptions options{locking, tier, 1};
        ASSERT_EQ(count_lanes_that_differ<Evaluator<Batch>>(source, outputs, options), 0)
            << "tier " << static_cast<int>(tier) << ", locking " << static_cast<int>(locking)
            << ", " << describe(seed, g, rows[0]) << " | " << to_text(g, rows[1]);
        different_twins +=
            count_lanes_that_differ<Evaluator<Batch>>(source, outputs, options, 1e-12);
      }
  }
  EXPECT_GT(different_twins, 0);
}

// ---- vector functions --------------------------------------------------------------------------

Expr random_arithmetic(RandomExpressions& source, const std::vector<Expr>& leaves, int depth) {
  if (depth == 0) return leaves[source.pick(leaves.size())];
  const Expr a = random_arithmetic(source, leaves, depth - 1);
  const Expr b = random_arithmetic(source, leaves, depth - 1);
  switch (source.pick(11)) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * b;
    case 3:
      return a / (b * b + 0.5);
    case 4:
      return -a + b * 3.0;
    case 5:
      return pow(a, 3) - pow(b * b + 0.5, -2);
    case 6:
      return sqrt(a * a + 0.1);
    case 7:
      return abs(a) + max(a, b, Tracking::untracked) * 0.5;
    case 8:
      return min(a, b) - sign(b, Tracking::untracked);
    case 9:
      return where(a > b && b < 0.5, a, b - 1.0);
    default:
      return abs(a, Tracking::untracked) + sign(b) * min(a, b, Tracking::untracked);
  }
}

TEST(Evaluators, VectorFunctionsLeaveArithmeticAsItIs) {
  if (!VectorMathEvaluator::available()) GTEST_SKIP() << "no vector functions here";
  long different_twins = 0;
  for (long k = 0; k < evaluator_cases(150); ++k) {
    const std::uint64_t seed = evaluators_seed + static_cast<std::uint64_t>(k);
    for (const Locking locking : {Locking::locked, Locking::unlocked})
      for (const Tier tier : {Tier::scalar, Tier::rolled}) {
        RandomExpressions source(seed);
        Graph& g = source.graph();
        std::vector<Expr> leaves{time(g), {g, g.input(InputKind::parameter, 0)}};
        for (std::uint32_t i = 0; i < 4; ++i) leaves.emplace_back(g, g.input(InputKind::state, i));
        const std::vector<NodeId> rows{random_arithmetic(source, leaves, 5).in(g)};
        const auto outputs = outputs_in_order(g, rows);
        const CompileOptions options{locking, tier, 1};
        ASSERT_EQ(count_lanes_that_differ<VectorMathEvaluator>(source, outputs, options), 0)
            << describe(seed, g, rows[0]);
        different_twins +=
            count_lanes_that_differ<VectorMathEvaluator>(source, outputs, options, 1e-12);
      }
  }
  EXPECT_GT(different_twins, 0);
}

/// Distance in units of the last place of `exact`.
double ulps_apart(double found, double exact) {
  if (found == exact || (std::isnan(found) && std::isnan(exact))) return 0;
  if (!std::isfinite(exact) || !std::isfinite(found)) return 1e300;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const double ulp = std::ldexp(1.0, std::max(exponent - 53, -1074));
  return std::abs(found - exact) / ulp;
}

/// A function, and the arguments it is tried on: a linear and a logarithmic range.
struct VectorFunction {
  const char* name;
  Expr (*build)(const Expr&);
  double (*plain)(double);
  double lo, hi;              // linear
  double log10_lo, log10_hi;  // magnitudes
  bool negative;              // of either sign
};

#define SALTUS_TEST_FUNCTION(f, ...)                                                             \
  {                                                                                              \
#f, [](const Expr& x) { return saltus::f(x); }, [](double x) { return std::f(x); },          \
                                                                                     __VA_ARGS__ \
  }
const VectorFunction vector_functions[] = {
    SALTUS_TEST_FUNCTION(sqrt, 0, 10, -300, 300, false),
    SALTUS_TEST_FUNCTION(exp, -740, 709, -20, 2.8, true),
    SALTUS_TEST_FUNCTION(log, 0.5, 2, -300, 300, false),
    SALTUS_TEST_FUNCTION(sin, -20, 20, -20, 10, true),
    SALTUS_TEST_FUNCTION(cos, -20, 20, -20, 10, true),
    SALTUS_TEST_FUNCTION(tan, -20, 20, -20, 10, true),
    SALTUS_TEST_FUNCTION(asin, -1, 1, -20, 0, true),
    SALTUS_TEST_FUNCTION(acos, -1, 1, -20, 0, true),
    SALTUS_TEST_FUNCTION(atan, -20, 20, -20, 20, true),
    SALTUS_TEST_FUNCTION(sinh, -20, 20, -20, 2.8, true),
    SALTUS_TEST_FUNCTION(cosh, -20, 20, -20, 2.8, true),
    SALTUS_TEST_FUNCTION(tanh, -20, 20, -20, 2.8, true),
};
#undef SALTUS_TEST_FUNCTION

/// The worst distance of vector from scalar functions, and where.
struct WorstCall {
  double ulps = 0;
  double argument = 0;
};

template <class F, class G>
WorstCall worst_call(const std::shared_ptr<const Program>& program, F&& arguments, G&& plain,
                     long n) {
  VectorMathEvaluator e(program);
  WorstCall worst;
  for (long k = 0; k < n; ++k) {
    double x[Batch::lanes], y[Batch::lanes];
    for (int lane = 0; lane < Batch::lanes; ++lane) {
      arguments(x[lane], y[lane]);
      e.input(0)[0][lane] = x[lane];
      e.input(0)[1][lane] = y[lane];
    }
    e.run();
    for (int lane = 0; lane < Batch::lanes; ++lane) {
      const double u = ulps_apart(e.outputs()[0][lane], plain(x[lane], y[lane]));
      if (u > worst.ulps) worst = {u, x[lane]};
    }
  }
  return worst;
}

/// What the header promises of a call.
constexpr double most_ulps = 4;

TEST(Evaluators, VectorFunctionsAreWithinFourUlpOfScalarOnes) {
  if (!VectorMathEvaluator::available()) GTEST_SKIP() << "no vector functions here";
  std::mt19937_64 rng(evaluators_seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const std::vector<InputSegment> segments{{{InputKind::state, 0, 2, 0}}};
  for (const VectorFunction& f : vector_functions) {
    Graph g;
    const Expr x = state(g, "x");
    state(g, "y");
    const std::vector<Output> outputs{{.node = f.build(x).id()}};
    bool linear = false;
    const WorstCall worst = worst_call(
        compile(g, outputs, segments),
        [&](double& a, double& b) {
          linear = !linear;
          a = linear ? f.lo + unit(rng) * (f.hi - f.lo)
                     : std::pow(10.0, f.log10_lo + unit(rng) * (f.log10_hi - f.log10_lo));
          if (!linear && f.negative && unit(rng) < 0.5) a = -a;
          b = 0;
        },
        [&](double a, double) { return f.plain(a); }, evaluator_cases(20000));
    RecordProperty(std::string("worst_ulps_") + f.name, std::to_string(worst.ulps));
    EXPECT_LE(worst.ulps, most_ulps) << f.name << " at " << worst.argument;
  }
  for (const bool power : {true, false}) {
    Graph g;
    const Expr x = state(g, "x");
    const Expr y = state(g, "y");
    const std::vector<Output> outputs{{.node = (power ? pow(x, y) : atan2(x, y)).id()}};
    const WorstCall worst = worst_call(
        compile(g, outputs, segments),
        [&](double& a, double& b) {
          a = power ? std::pow(10.0, -5 + 10 * unit(rng)) : -5 + 10 * unit(rng);
          b = -5 + 10 * unit(rng);
        },
        [&](double a, double b) { return power ? std::pow(a, b) : std::atan2(a, b); },
        evaluator_cases(20000));
    RecordProperty(power ? "worst_ulps_pow" : "worst_ulps_atan2", std::to_string(worst.ulps));
    EXPECT_LE(worst.ulps, most_ulps) << (power ? "pow" : "atan2") << " at " << worst.argument;
  }
}

TEST(Evaluators, FiveUlpAreNoticed) {
  if (!VectorMathEvaluator::available()) GTEST_SKIP() << "no vector functions here";
  Graph g;
  const std::vector<Output> outputs{{.node = sqrt(state(g, "x")).id()}};
  state(g, "y");
  double next = 1;
  const WorstCall worst = worst_call(
      compile(g, outputs, std::vector<InputSegment>{{{InputKind::state, 0, 2, 0}}}),
      [&](double& a, double& b) {
        a = next += 0.25;
        b = 0;
      },
      [](double a, double) { return std::sqrt(a) * (1 + 8 * 2.3e-16); }, 10);
  EXPECT_GT(worst.ulps, most_ulps);
}

TEST(Evaluators, VectorFunctionsKeepSpecialValues) {
  if (!VectorMathEvaluator::available()) GTEST_SKIP() << "no vector functions here";
  const double inf = std::numeric_limits<double>::infinity();
  const double special[] = {0.0, -0.0, inf, -inf, std::nan(""), 2.0, -2.0, 1e300};
  for (const VectorFunction& f : vector_functions) {
    Graph g;
    const Expr x = state(g, "x");
    const std::vector<Output> outputs{{.node = f.build(x).id()}};
    VectorMathEvaluator e(
        compile(g, outputs, std::vector<InputSegment>{{{InputKind::state, 0, 1, 0}}}));
    for (int lane = 0; lane < Batch::lanes; ++lane) e.input(0)[0][lane] = special[lane];
    e.run();
    for (int lane = 0; lane < Batch::lanes; ++lane)
      EXPECT_LE(ulps_apart(e.outputs()[0][lane], f.plain(special[lane])), most_ulps)
          << f.name << "(" << special[lane] << ") = " << e.outputs()[0][lane];
  }
}

// ---- intervals ---------------------------------------------------------------------------------

TEST(Evaluators, AnUndecidedLockTakesTheHull) {
  Graph g;
  const Expr x = state(g, "x");
  const Expr y = state(g, "y");
  const Expr z = state(g, "z");
  const Cond right = x > 0.0;
  const std::vector<NodeId> rows{where(right, y, z).id(), abs(x).id(), sign(x).id(),
                                 where(right && y > z, 1.0, 2.0).id()};
  Evaluator<Interval> e(compile(g, outputs_in_order(g, rows),
                                std::vector<InputSegment>{{{InputKind::state, 0, 3, 0}}}));
  ASSERT_EQ(e.locks().size(), 2U);
  e.input(0)[0] = Interval(-2, 1);
  e.input(0)[1] = Interval(11, 12);
  e.input(0)[2] = Interval(-9, -8);
  auto expect = [&](std::uint8_t first, std::uint8_t second, const std::vector<Interval>& all) {
    e.set_locks(std::vector<std::uint8_t>{first, second});
    e.run();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(e.outputs()[i].lo(), all[i].lo()) << i;
      EXPECT_EQ(e.outputs()[i].hi(), all[i].hi()) << i;
    }
  };
  expect(lock_undecided, lock_undecided, {{-9, 12}, {-2, 2}, {-1, 1}, {1, 2}});
  expect(lock_undecided, lock_false, {{-9, 12}, {-2, 2}, {-1, 1}, {2, 2}});
  expect(lock_inactive, lock_true, {{-9, 12}, {-2, 2}, {-1, 1}, {1, 2}});
  expect(lock_true, lock_true, {{11, 12}, {-2, 1}, {1, 1}, {1, 1}});
  expect(lock_false, lock_true, {{-9, -8}, {-1, 2}, {-1, -1}, {2, 2}});
}

TEST(Evaluators, UndecidedLocksEncloseTheValue) {
  long wider = 0;
  for (long k = 0; k < evaluator_cases(300); ++k) {
    const std::uint64_t seed = evaluators_seed + static_cast<std::uint64_t>(k);
    RandomExpressions source(seed);
    Graph& g = source.graph();
    const NodeId f = source.expression(4).in(g);
    const std::vector<Output> outputs{{.node = f}};
    const auto program = compile(g, outputs, source.segments());
    const auto x = source.point();
    Evaluator<Interval> hull_of(program);
    load_as(hull_of, x);
    hull_of.set_locks(std::vector<std::uint8_t>(g.n_switches(), lock_undecided));
    hull_of.run();
    const Interval hull = hull_of.outputs()[0];
    Evaluator<Quad> one(program);
    load_as(one, x);
    one.set_locks(locks_at(g, outputs, source.segments(), x));
    one.run();
    const Quad y = one.outputs()[0];
    ASSERT_TRUE(Quad(hull.lo()) <= y && y <= Quad(hull.hi())) << describe(seed, g, f);
    wider += hull.hi() > hull.lo() + 0.1 ? 1 : 0;  // more than roundings: both branches
  }
  EXPECT_GT(wider, 0);
}

// ---- held work ---------------------------------------------------------------------------------

TEST(Evaluators, HeldWorkOfABranchIsDoneInTheRunThatTakesIt) {
  Graph g;
  const Expr x = state(g, "x");
  const Expr q = parameter(g, "q");
  const Expr d = discrete(g, "d");
  const std::vector<Output> outputs{{.node = where(d == 2.0, exp(q), x * q).id()}};
  const std::vector<InputSegment> segments{
      {{InputKind::state, 0, 1, 0}},
      {{InputKind::parameter, 0, 1, 0}, {InputKind::discrete, 0, 1, 0}}};
  for (const Locking locking : {Locking::locked, Locking::unlocked})
    for (const Tier tier : {Tier::scalar, Tier::rolled}) {
      Evaluator<double> e(compile(g, outputs, segments, {locking, tier, 1}));
      e.input(0)[0] = 5;
      for (const double held : {1.0, 0.5, 0.25})
        for (const double which : {2.0, 1.0}) {
          e.input(1)[0] = held;
          e.input(1)[1] = which;
          EXPECT_EQ(values(e)[0], which == 2.0 ? std::exp(held) : 5 * held);
        }
    }
}

// ---- allocations -------------------------------------------------------------------------------

/// sin(a) * b, with enclosures: an external function every scalar algebra but Quad can call.
class SineTimes : public ExternalFunction {
 public:
  SineTimes() : ExternalFunction("sine_times", 2, 1) {}
  struct Own : Instance {
    bool evaluate(std::span<const double> in, std::span<double> out) override {
      out[0] = std::sin(in[0]) * in[1];
      return true;
    }
    bool enclose(std::span<const Interval> in, std::span<Interval> out) override {
      out[0] = sin(in[0]) * in[1];
      return true;
    }
  };
  std::unique_ptr<Instance> instantiate() const override { return std::make_unique<Own>(); }
  bool encloses() const override { return true; }
};

/// A model with scalars, families, sums, conditionals, held work and (if asked) external calls.
struct BusyModel {
  Graph g;
  std::vector<Output> outputs;
  std::vector<InputSegment> segments;

  explicit BusyModel(bool with_calls) {
    constexpr std::uint32_t n = 20;
    const Expr u = states(g, "u", n);
    const Expr x = state(g, "x");
    const Expr p = parameter(g, "p");
    const Expr reversed = u[Index{n - 1, -1, n}];
    const Expr flux = sin(u) * exp(p) + where(u > 0.2 && reversed < 0.5, tanh(u), u * x);
    const Expr lanes = flux * sum(flux) - flux[Index{n - 1, -1, n}] / (x * x + 1.0);
    Expr scalar = max(x, p) * abs(x) + sum(lanes) + pow(x * x + 1.0, p) + atan2(x, p + 2.0) +
                  min_of(u.slice(0, 3)) + tan(0.1 * x) + asin(0.1 * p) + cosh(x);
    if (with_calls) {
      const Expr arguments[] = {x, sum(u)};
      scalar += call(std::make_shared<SineTimes>(), arguments)[0];
    }
    std::vector<NodeId> rows{lanes.id(), scalar.id(), x.id()};
    for (std::uint32_t i = 0; i < n; ++i) rows.push_back((u[i] * u[n - 1 - i] + x).id());
    outputs = outputs_in_order(g, rows);
    segments = {{{InputKind::state, 0, n + 1, 0}}, {{InputKind::parameter, 0, 1, 0}}};
  }
};

/// Allocations by writing arguments and locks and running, from the first run on.
template <class E, class Write>
long allocations_of(E& e, Write&& write) {
  std::vector<std::uint8_t> locks(e.locks().size(), lock_true);
  const long before = allocations();
  for (int k = 0; k < 3; ++k) {
    write(0.25 + 0.25 * k);
    e.set_locks(locks);
    e.set_lock(0, lock_false);
    e.run();
  }
  return allocations() - before;
}

template <class T>
void expect_no_allocations(bool with_calls, const char* algebra) {
  const BusyModel m(with_calls);
  for (const Locking locking : {Locking::locked, Locking::unlocked})
    for (const Tier tier : {Tier::scalar, Tier::rolled}) {
      Evaluator<T> e(compile(m.g, m.outputs, m.segments, {locking, tier, 2}));
      std::vector<T> own(m.segments[0][0].count, T(0.5));
      e.bind(0, own);  // the first binding may allocate
      e.bind(0, {});
      const long n = allocations_of(e, [&](double value) {
        for (T& v : e.input(0)) v = T(value);
        e.input(1)[0] = T(value);
        if (value > 0.6) e.bind(0, own);
      });
      EXPECT_EQ(n, 0) << algebra << ", tier " << static_cast<int>(tier) << ", locking "
                      << static_cast<int>(locking) << (with_calls ? ", with calls" : "");
    }
}

template <class T>
void expect_no_allocations_in_series(const char* algebra) {
  const BusyModel m(false);
  for (const Locking locking : {Locking::locked, Locking::unlocked})
    for (const Tier tier : {Tier::scalar, Tier::rolled}) {
      TaylorEvaluator<T> e(compile(m.g, m.outputs, m.segments, {locking, tier, 2}), 3);
      const long n = allocations_of(e, [&](double value) {
        for (std::size_t i = 0; i < m.segments[0][0].count; ++i)
          for (T& v : e.input(0, i)) v = T(value);
        e.input(1, 0)[0] = T(value);
      });
      EXPECT_EQ(n, 0) << "series over " << algebra << ", tier " << static_cast<int>(tier)
                      << ", locking " << static_cast<int>(locking);
    }
}

TEST(Evaluators, NothingIsAllocatedAfterConstruction) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer brings an allocator of its own";
  for (const bool with_calls : {false, true}) {
    expect_no_allocations<double>(with_calls, "double");
    expect_no_allocations<Batch>(with_calls, "Batch");
    expect_no_allocations<Interval>(with_calls, "Interval");
  }
  expect_no_allocations<Quad>(false, "Quad");
  expect_no_allocations_in_series<double>("double");
  expect_no_allocations_in_series<Interval>("Interval");
  expect_no_allocations_in_series<Quad>("Quad");
}

TEST(Evaluators, VectorFunctionsAllocateNothingEither) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer brings an allocator of its own";
  if (!VectorMathEvaluator::available()) GTEST_SKIP() << "no vector functions here";
  const BusyModel m(true);
  VectorMathEvaluator e(compile(m.g, m.outputs, m.segments, {Locking::unlocked}));
  EXPECT_EQ(allocations_of(e,
                           [&](double value) {
                             for (Batch& v : e.input(0)) v = Batch(value);
                             e.input(1)[0] = Batch(value);
                           }),
            0);
}

TEST(Evaluators, AnAllocationIsNoticed) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer brings an allocator of its own";
  const BusyModel m(false);
  Evaluator<double> e(compile(m.g, m.outputs, m.segments));
  std::vector<double> grows;
  EXPECT_GT(allocations_of(e, [&](double value) { grows.push_back(value); }), 0);
}

// ---- tiers -------------------------------------------------------------------------------------

/// An irregular model: the same expressions over many variables, their values used again in other
/// rows, some rows twice, a few odd ones.
struct IrregularModel {
  static constexpr std::uint32_t n = 40;
  Graph g;
  std::vector<Output> outputs;
  std::vector<InputSegment> segments;

  explicit IrregularModel(std::uint64_t seed) {
    RandomExpressions choice(seed);
    const Expr y = states(g, "y", n);
    const Expr p = parameters(g, "p", 3);
    auto some = [&](std::uint32_t i) { return y[i % n]; };
    std::vector<Expr> rows;
    std::vector<Expr> shared;
    const std::size_t n_shapes = 2 + choice.pick(5);
    for (std::size_t shape = 0; shape < n_shapes; ++shape) {
      const auto kind = choice.pick(8);
      const auto step = static_cast<std::uint32_t>(1 + choice.pick(5));
      const auto used = static_cast<std::uint32_t>(1 + choice.pick(n));
      const double constant = 0.1 * static_cast<double>(choice.pick(9));
      for (std::uint32_t i = 0; i < used; ++i) {
        const Expr a = some(i);
        const Expr b = some(step * i + 1);
        const Expr q = p[i % 3];
        const Expr s = shared.empty() ? a : shared[(step * i) % shared.size()];
        const Expr made = kind == 0   ? q * sin(a) + b * constant
                          : kind == 1 ? where(a > b, exp(a) * q, b - constant)
                          : kind == 2 ? max(a, q) * abs(b - s)
                          : kind == 3 ? sqr(sin(s)) + a / (b * b + 1.0)
                          : kind == 4 ? min(s, b, Tracking::untracked) + sign(a - constant)
                          : kind == 5 ? where(a > constant && b < q, s * b, sqrt(a * a + 0.1))
                          : kind == 6 ? pow(a * a + 1.0, q) - tanh(s)
                                      : a * b - s * q + (i % 7 == 0 ? cos(a) : a);
        rows.push_back(made);
        if (choice.pick(3) == 0) shared.push_back(made);
        if (choice.pick(4) == 0) shared.push_back(made * q - a);
        if (choice.pick(9) == 0) rows.push_back(made);  // the same row twice
        if (choice.pick(9) == 0) rows.push_back(shared.empty() ? a : shared.back() + b);
        if (choice.pick(12) == 0) rows.push_back(q);  // held
        if (choice.pick(12) == 0) rows.push_back(a);  // a variable itself
      }
    }
    std::vector<NodeId> ids;
    for (const Expr& e : rows) ids.push_back(e.in(g));
    outputs = outputs_in_order(g, ids);
    // Rows are stored in some other order, as a caller's numbering may be.
    std::vector<std::uint32_t> slots(outputs.size());
    for (std::uint32_t i = 0; i < slots.size(); ++i) slots[i] = i;
    if (choice.pick(2) == 0) std::shuffle(slots.begin(), slots.end(), choice.rng());
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].first = slots[i];
    segments = {{{InputKind::parameter, 0, 3, 0}}, {{InputKind::state, 0, n, 0}}};
  }
};

/// Runs at two points, so that nothing stays from the first; the second differs by `delta`.
std::vector<double> run_twice(const IrregularModel& m, const CompileOptions& options,
                              std::vector<std::uint8_t>& locks, std::uint64_t seed,
                              double delta = 0) {
  Evaluator<double> e(compile(m.g, m.outputs, m.segments, options));
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> range(-1.5, 1.5);
  std::vector<double> all;
  for (int k = 0; k < 2; ++k) {
    std::vector<double> y(IrregularModel::n);
    for (double& v : e.input(0)) v = range(rng);
    for (double& v : y) v = range(rng) + delta;
    if (k == 0) std::copy(y.begin(), y.end(), e.input(1).begin());
    if (k == 1) e.bind(1, y);  // read where the caller keeps it
    if (options.locking == Locking::locked) e.set_locks(locks);
    e.run();
    all.insert(all.end(), e.outputs().begin(), e.outputs().end());
    if (options.locking == Locking::unlocked) locks.assign(e.locks().begin(), e.locks().end());
  }
  return all;
}

TEST(Evaluators, RolledIrregularModelsAreScalarCodeToTheLastBit) {
  long n_families = 0;
  for (long k = 0; k < evaluator_cases(60); ++k) {
    const std::uint64_t seed = evaluators_seed + static_cast<std::uint64_t>(k);
    const IrregularModel m(seed);
    std::vector<std::uint8_t> locks;
    const auto unlocked = run_twice(m, {Locking::unlocked, Tier::scalar}, locks, seed);
    const auto locked = run_twice(m, {Locking::locked, Tier::scalar}, locks, seed);
    for (const std::uint32_t from : {1U, 2U, 16U}) {
      std::vector<std::uint8_t> found = locks;
      ASSERT_EQ(run_twice(m, {Locking::locked, Tier::rolled, from}, found, seed), locked)
          << "seed " << seed << ", rolled from " << from;
      ASSERT_EQ(run_twice(m, {Locking::unlocked, Tier::rolled, from}, found, seed), unlocked)
          << "seed " << seed << ", rolled from " << from;
      for (std::size_t s = 0; s < locks.size(); ++s)
        ASSERT_TRUE(locks[s] == lock_inactive || locks[s] == found[s]) << "seed " << seed;
      n_families += static_cast<long>(
          compile(m.g, m.outputs, m.segments, {Locking::locked, Tier::rolled, from})
              ->statistics()
              .n_families);
    }
    // The twin: other values are other bits.
    ASSERT_NE(run_twice(m, {Locking::locked, Tier::rolled, 1}, locks, seed, 1e-13), locked);
  }
  EXPECT_GT(n_families, 0);
}

TEST(Evaluators, RolledJacobiansOfIrregularModelsAreScalarCodeToTheLastBit) {
  for (long k = 0; k < evaluator_cases(40); ++k) {
    const std::uint64_t seed = evaluators_seed + static_cast<std::uint64_t>(k);
    IrregularModel m(seed);
    std::vector<std::uint8_t> locks;
    run_twice(m, {Locking::unlocked, Tier::scalar}, locks, seed);
    std::vector<NodeId> rows;
    for (const Output& o : m.outputs) rows.push_back(o.node);
    m.outputs = jacobian(m.g, rows, m.segments[1]).entries;
    locks.resize(m.g.n_switches(), lock_false);
    const auto expected = run_twice(m, {Locking::locked, Tier::scalar}, locks, seed);
    for (const std::uint32_t from : {1U, 2U, 16U})
      ASSERT_EQ(run_twice(m, {Locking::locked, Tier::rolled, from}, locks, seed), expected)
          << "seed " << seed << ", rolled from " << from;
  }
}

}  // namespace
}  // namespace saltus::test
