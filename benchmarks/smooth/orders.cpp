// Item 1, as a user sees it: orders observed with fixed steps, at the ends of steps and inside them,
// and how IDA's error follows its tolerance. Both problems have closed solutions.
#include <cstdio>

#include "problems/kepler.hpp"
#include "smooth.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

struct OrderProblem {
  const char* name;
  double t_end;
  void (*write)(Model& m);
  std::vector<Named<double>> (*exact)(double t);
};

/// x' = z, z + z^3 + x^2 = cos t + cos^3 t + sin^2 t: x = sin t, z = cos t.
const OrderProblem cubic_dae{
    "index-1 DAE", 2.0,
    [](Model& m) {
      Expr x = m.state("x", 0.0), z = m.algebraic("z", {.guess = 1.0});
      Expr c = cos(m.time()), s = sin(m.time());
      m.equation(der(x) == z);
      m.equation(z + z * z * z + x * x == c + c * c * c + s * s);
    },
    [](double t) {
      return std::vector<Named<double>>{{"x", std::sin(t)}, {"z", std::cos(t)}};
    }};

const OrderProblem kepler_orbit{"Kepler", 3.0, &problems::write_kepler,
                                [](double t) { return problems::kepler_at(t).values; }};

struct OrderErrors {
  double at_ends = 0.0;   // largest over ends of steps
  double in_steps = 0.0;  // largest over points inside steps
};

/// Infinite if the run failed.
OrderErrors errors_of(const OrderProblem& problem, RunOptions options) {
  Model model(problem.name);
  problem.write(model);
  options.t_end = problem.t_end;
  const Solution solution = simulate(model, options);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!solution.ok()) return {infinity, infinity};
  const Trajectory& all = solution.trajectory;
  const auto error_at = [&](double t) {
    double worst = 0.0;
    for (const auto& [name, value] : problem.exact(t)) {
      worst = std::max(worst, std::abs(all.at(name, t) - value));
    }
    return worst;
  };
  OrderErrors errors;
  for (std::uint32_t k = 0; k < all.n_steps(); ++k) {
    const StepPolynomial step = all.step(k);
    errors.at_ends = std::max(errors.at_ends, error_at(step.t_right));
    for (const double s : {0.2, 0.4, 0.6, 0.8}) {
      const double t = step.t_left + s * (step.t_right - step.t_left);
      errors.in_steps = std::max(errors.in_steps, error_at(t));
    }
  }
  return errors;
}

/// Slope of the least-squares line through (log x, log y).
double log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Over the asymptotic tail: the five smallest steps whose error is still a hundred times what
/// rounding leaves, about 1e-14.
double tail_order(const std::vector<double>& steps, const std::vector<double>& errors) {
  constexpr double least_error = 1e-12;
  std::vector<double> x, y;
  for (std::size_t k = steps.size(); k-- > 0 && x.size() < 5;) {
    if (errors[k] < least_error) continue;
    x.push_back(steps[k]);
    y.push_back(errors[k]);
  }
  return x.size() == 5 ? log_slope(x, y) : std::numeric_limits<double>::quiet_NaN();
}

struct ObservedOrders {
  double ends = 0.0;
  double dense = 0.0;
};

ObservedOrders observe(const OrderProblem& problem, EngineKind engine, int first_steps,
                       int n_refinements) {
  std::vector<double> steps, at_ends, in_steps;
  for (int k = 0; k < n_refinements; ++k) {
    const double n = std::round(first_steps * std::pow(2.0, 0.5 * k));
    // The tolerance is that of Newton's iteration: far below the errors studied.
    RunOptions options{
        .rtol = 1e-13, .atol = 1e-13, .fixed_step = problem.t_end / n, .engine = engine};
    const OrderErrors errors = errors_of(problem, options);
    steps.push_back(options.fixed_step);
    at_ends.push_back(errors.at_ends);
    in_steps.push_back(errors.in_steps);
  }
  const ObservedOrders orders{tail_order(steps, at_ends), tail_order(steps, in_steps)};
  std::printf("   %-6s %-12s errors %.1e to %.1e: order %.2f; inside steps %.1e to %.1e: %.2f\n",
              std::string(name(engine)).c_str(), problem.name, at_ends.front(), at_ends.back(),
              orders.ends, in_steps.front(), in_steps.back(), orders.dense);
  std::fflush(stdout);
  return orders;
}

/// Shows orders and keeps the largest distance of one from theory.
class OrderVerdict {
 public:
  explicit OrderVerdict(Item& item) : item_(item) {}

  void add(const std::string& what, double order, double theory) {
    char text[64];
    std::snprintf(text, sizeof text, " %.2f (theory %.0f)", order, theory);
    item_.note(what + text);
    // An order that could not be observed is as wrong as can be.
    const double distance =
        std::isfinite(order) ? std::abs(order - theory) : std::numeric_limits<double>::infinity();
    largest_ = std::max(largest_, distance);
  }
  double largest() const { return largest_; }

 private:
  Item& item_;
  double largest_ = 0.0;
};

/// Slope of log(error) over log(tolerance), 1e-4 to 1e-10.
double tolerance_slope_of_ida(const OrderProblem& problem) {
  std::vector<double> tolerances, errors;
  for (double k = 4.0; k <= 10.0; k += 0.5) {
    const double tolerance = std::pow(10.0, -k);
    const RunOptions options{.rtol = tolerance, .atol = tolerance, .engine = EngineKind::ida};
    tolerances.push_back(tolerance);
    errors.push_back(errors_of(problem, options).at_ends);
  }
  const double slope = log_slope(tolerances, errors);
  std::printf("   ida    %-12s errors %.1e to %.1e: slope %.2f\n", problem.name, errors.front(),
              errors.back(), slope);
  return slope;
}

}  // namespace

bool show_orders(int number) {
  Item item(number);
  const ObservedOrders radau = observe(kepler_orbit, EngineKind::radau, 16, 15);
  const ObservedOrders radau_dae = observe(cubic_dae, EngineKind::radau, 4, 15);
  const ObservedOrders dopri5 = observe(kepler_orbit, EngineKind::dopri5, 32, 15);
  const ObservedOrders dop853 = observe(kepler_orbit, EngineKind::dop853, 12, 10);
  OrderVerdict verdict(item);
  verdict.add("radau", radau.ends, 5);
  verdict.add("inside steps", radau.dense, 4);
  verdict.add("of a DAE", radau_dae.ends, 5);
  verdict.add("inside steps", radau_dae.dense, 4);
  verdict.add("dopri5", dopri5.ends, 5);
  verdict.add("inside steps", dopri5.dense, 5);
  verdict.add("dop853", dop853.ends, 8);
  item.at_most("largest distance", verdict.largest(), 0.3);
  item.at_least("dop853 inside steps", dop853.dense, 7);
  const double dae = tolerance_slope_of_ida(cubic_dae);
  const double orbit = tolerance_slope_of_ida(kepler_orbit);
  item.at_least("slope of ida's error over tolerance", std::min(dae, orbit), 0.8);
  item.at_most("to", std::max(dae, orbit), 1.2);
  return item.print();
}

}  // namespace saltus::bench
