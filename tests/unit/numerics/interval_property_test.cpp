// f(x) lies in f(X) for sampled x in X, with f(x) computed in Quad. No tolerance: the doubles among
// the bounds are exact in Quad, rounding to Quad is monotone, and where Quad's own functions err
// (about 1e-34 relative) the outward margins of at least half a double ulp are 1e17 times larger.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <saltus/numerics/interval.hpp>
#include <saltus/numerics/quad.hpp>

#include "unit/numerics/random_cases.hpp"

namespace saltus::interval_property_test {
namespace {

using numerics_test::property_cases;
using numerics_test::RandomCases;

constexpr std::uint64_t seed = 20260217;

// A function of two variables (unary ones ignore y) with its enclosure and its Quad oracle. `adapt`
// moves a random interval to where the function is defined, or nearly so.
struct Case {
  std::string name;
  std::function<Interval(const Interval&, const Interval&)> enclose;
  std::function<Quad(Quad, Quad)> exact;
  std::function<Interval(const Interval&)> adapt = [](const Interval& x) { return x; };
};

Interval to_unit(const Interval& x) {
  const Interval unit(-1.0, 1.0);
  const auto common = intersect(x, unit);
  return common ? *common : Interval(1.0) / x;
}

#define SALTUS_UNARY(f)                                                                            \
  Case {                                                                                           \
#f, [](const Interval& x, const Interval&) { return f(x); }, [](Quad x, Quad) { return f(x); } \
  }
#define SALTUS_BINARY(f)                                                                  \
  Case {                                                                                  \
#f, [](const Interval& x,                                                             \
           const Interval& y) { return f(x, y); }, [](Quad x, Quad y) { return f(x, y); } \
  }

Interval plus(const Interval& x, const Interval& y) { return x + y; }
Interval minus(const Interval& x, const Interval& y) { return x - y; }
Interval times(const Interval& x, const Interval& y) { return x * y; }
Interval over(const Interval& x, const Interval& y) { return x / y; }
Quad plus(Quad x, Quad y) { return x + y; }
Quad minus(Quad x, Quad y) { return x - y; }
Quad times(Quad x, Quad y) { return x * y; }
Quad over(Quad x, Quad y) { return x / y; }

std::vector<Case> all_functions() {
  return {SALTUS_BINARY(plus), SALTUS_BINARY(minus), SALTUS_BINARY(times), SALTUS_BINARY(over),
          SALTUS_BINARY(min),  SALTUS_BINARY(max),   SALTUS_BINARY(atan2), SALTUS_UNARY(sqr),
          SALTUS_UNARY(abs),   SALTUS_UNARY(exp),    SALTUS_UNARY(sin),    SALTUS_UNARY(cos),
          SALTUS_UNARY(tan),   SALTUS_UNARY(atan),   SALTUS_UNARY(sinh),   SALTUS_UNARY(cosh),
          SALTUS_UNARY(tanh),  SALTUS_UNARY(sqrt),   SALTUS_UNARY(log),    SALTUS_UNARY(asin),
          SALTUS_UNARY(acos),  SALTUS_BINARY(pow)};
}

std::vector<Case> cases_with_domains() {
  std::vector<Case> cases = all_functions();
  const std::vector<Case> base = cases;
  for (const Case& c : base) {
    Case inside = c;
    inside.name += " inside its domain";
    if (c.name == "sqrt" || c.name == "log" || c.name == "pow") {
      inside.adapt = [](const Interval& x) { return abs(x); };
    } else if (c.name == "asin" || c.name == "acos") {
      inside.adapt = to_unit;
    } else {
      continue;
    }
    cases.push_back(inside);
  }
  for (const int n : {-7, -2, -1, 2, 3, 4, 5, 6, 17, 300}) {
    cases.push_back({"powi " + std::to_string(n),
                     [n](const Interval& x, const Interval&) { return powi(x, n); },
                     [n](Quad x, Quad) { return powi(x, n); }});
    cases.push_back({"pow to the integer " + std::to_string(n),
                     [n](const Interval& x, const Interval&) { return pow(x, Interval(n)); },
                     [n](Quad x, Quad) { return powi(x, n); }});
  }
  return cases;
}

struct Tally {
  long samples = 0;
  long violations = 0;
  long vacuous = 0;  // enclosed by the whole line
  std::string first;
};

Tally sample(const Case& c, long n_samples, std::uint64_t case_seed) {
  constexpr int per_box = 5;
  RandomCases random(case_seed);
  Tally tally;
  while (tally.samples < n_samples) {
    const Interval x = c.adapt(random.interval());
    const Interval y = random.interval();
    const Interval box = c.enclose(x, y);
    for (int k = 0; k < per_box; ++k) {
      const double px = random.element(x);
      const double py = random.element(y);
      const Quad value = c.exact(Quad(px), Quad(py));
      ++tally.samples;
      if (box.is_entire()) ++tally.vacuous;
      if (isnan(value)) continue;  // undefined there
      if (Quad(box.lo()) <= value && value <= Quad(box.hi())) continue;
      if (tally.violations++ == 0) {
        std::ostringstream text;
        text << std::hexfloat << "seed " << case_seed << ": x = " << px << " in [" << x.lo() << ", "
             << x.hi() << "], y = " << py << " in [" << y.lo() << ", " << y.hi()
             << "]: " << box.lo() << " .. " << box.hi() << " misses " << to_string(value);
        tally.first = text.str();
      }
    }
  }
  return tally;
}

TEST(IntervalProperty, EveryFunctionContainsItsValues) {
  const std::vector<Case> cases = cases_with_domains();
  const long each = property_cases() / static_cast<long>(cases.size()) + 1;
  std::uint64_t number = 0;
  for (const Case& c : cases) {
    const Tally tally = sample(c, each, seed + number++);
    EXPECT_EQ(tally.violations, 0) << c.name << ": " << tally.first;
    // The claim must not be kept by giving up: outside the domain many boxes are entire, inside
    // only those that were unbounded or divided by zero.
    EXPECT_LT(static_cast<double>(tally.vacuous), 0.8 * static_cast<double>(tally.samples))
        << c.name;
  }
}

// The same check on bounds that are rounded to nearest instead of outward.
TEST(IntervalProperty, TheCheckSeesMissingWidening) {
  const auto nearest = [](double (*f)(double, double)) {
    return [f](const Interval& x, const Interval& y) {
      const double v[] = {f(x.lo(), y.lo()), f(x.lo(), y.hi()), f(x.hi(), y.lo()),
                          f(x.hi(), y.hi())};
      return Interval(*std::min_element(v, v + 4), *std::max_element(v, v + 4));
    };
  };
  const std::vector<Case> twins = {
      {"plus", nearest([](double x, double y) { return x + y; }),
       [](Quad x, Quad y) { return x + y; }},
      {"times", nearest([](double x, double y) { return x * y; }),
       [](Quad x, Quad y) { return x * y; }},
      {"exp", nearest([](double x, double) { return std::exp(x); }),
       [](Quad x, Quad) { return exp(x); }},
      {"atan", nearest([](double x, double) { return std::atan(x); }),
       [](Quad x, Quad) { return atan(x); }},
      {"tanh", nearest([](double x, double) { return std::tanh(x); }),
       [](Quad x, Quad) { return tanh(x); }},
  };
  for (const Case& c : twins) EXPECT_GT(sample(c, 2000, seed).violations, 10) << c.name;
}

// One-sided rounding: right below, to nearest above.
TEST(IntervalProperty, TheCheckSeesOneSidedRounding) {
  const Case twin = {"one-sided sum",
                     [](const Interval& x, const Interval& y) {
                       return Interval(detail::add_down(x.lo(), y.lo()), x.hi() + y.hi());
                     },
                     [](Quad x, Quad y) { return x + y; }};
  EXPECT_GT(sample(twin, 2000, seed).violations, 10);
}

// Composed expressions: the property carries over to any evaluation.
TEST(IntervalProperty, ExpressionsContainTheirValues) {
  RandomCases random(seed);
  for (long k = 0; k < property_cases() / 20; ++k) {
    const auto narrow = [&random] {
      const double x = random.uniform(-3.0, 3.0);
      return Interval(x, x + std::ldexp(random.uniform(0.0, 1.0), -random.integer(0, 40)));
    };
    const auto f = [](const auto& x, const auto& y) {
      return sin(x * y) / (sqr(x) + exp(y)) - atan2(y, sqr(x) + sqr(y)) * powi(x, 3);
    };
    const Interval x = narrow();
    const Interval y = narrow();
    const double px = random.element(x);
    const double py = random.element(y);
    const Interval box = f(x, y);
    const Quad value = f(Quad(px), Quad(py));
    ASSERT_TRUE(Quad(box.lo()) <= value && value <= Quad(box.hi()))
        << "seed " << seed << " case " << k;
  }
}

}  // namespace
}  // namespace saltus::interval_property_test
