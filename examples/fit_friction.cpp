// Friction between a body and a belt, from a measured motion with stick and slip.
#include <cstdio>
#include <random>
#include <vector>

#include <saltus/saltus.hpp>

using namespace saltus;

namespace {

void write(Model& m, double force, double decay) {
  const Expr x = m.state("x", 1.0, {.unit = "m"}), v = m.state("v", 0.5, {.unit = "m/s"});
  const Expr Fs = m.parameter("Fs", force), gamma = m.parameter("gamma", decay);
  m.equation(der(x) == v);
  m.equation(der(v) == -3.0 * x - Fs * sign(v - 0.2) / (1.0 + gamma * abs(v - 0.2)));
}

/// The motion for Fs = 1 and gamma = 3, with errors of 2 cm.
Measurement measure() {
  Model m("belt");
  write(m, 1.0, 3.0);
  const Solution truth = simulate(m, {.t_end = 15.0, .rtol = 1e-8, .atol = 1e-8});
  std::mt19937 generator(1);
  std::normal_distribution<double> error(0.0, 0.02);
  // [data]
  Measurement data{.variable = "x", .times = {}, .values = {}, .sigma = {0.02}};  // one for all
  for (int i = 1; i <= 75; ++i) {
    data.times.push_back(0.2 * i);
    data.values.push_back(truth.at("x", 0.2 * i, Side::left) + error(generator));
  }
  // [data]
  return data;
}

}  // namespace

int main() {
  const Measurement measured = measure();
  // [fit]
  Model m("belt");
  write(m, 1.0, 1.0);
  const FitProblem problem(m, {{"Fs", 0.8}, {"gamma", 3.6, 0.0, 10.0}}, {measured},
                           {.rtol = 1e-8, .atol = 1e-8});
  const FitResult found = fit(problem);
  // [fit]
  // [result]
  std::printf("%s", to_text(found).c_str());
  if (!found.ok()) std::printf("%s\n", found.message.c_str());  // and found.status
  for (const FittedParameter& p : found.parameters)
    std::printf("%-5s = %.3f +- %.3f\n", p.name.c_str(), p.value, p.standard_error.value_or(0));
  std::printf("correlation %.2f\n", found.covariance(0, 1) / (*found.of("Fs").standard_error *
                                                              *found.of("gamma").standard_error));
  std::printf("%d steps, sum of squares %.1f of %zu residuals\n", found.iterations,
              found.sum_of_squares, found.residuals.size());
  for (const RefusedTrial& trial : found.refused)  // values without derivatives, left on the way
    std::printf("  at Fs = %.3f, gamma = %.3f: %s\n", trial.values[0], trial.values[1],
                trial.why.c_str());
  // [result]
  return found.ok() ? 0 : 1;
}
