// Friction of a belt from a measured motion with stick and slip.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <saltus/fit.hpp>
#include <saltus/lower/compile_model.hpp>
#include <saltus/model.hpp>
#include <saltus/sensitivity/forward.hpp>
#include <saltus/simulate.hpp>

namespace saltus::problems {

struct BeltFit {
  static constexpr double Fs = 1.0, gamma = 3.0, sigma = 0.02, t_end = 15.0;
  static constexpr int n_points = 75;
  /// Both parameters 20 % too small or too large.
  static constexpr double starts[4][2] = {{0.8 * Fs, 0.8 * gamma},
                                          {1.2 * Fs, 0.8 * gamma},
                                          {0.8 * Fs, 1.2 * gamma},
                                          {1.2 * Fs, 1.2 * gamma}};

  static std::shared_ptr<const ModelDefinition> model() {
    Model m("belt");
    const Expr x = m.state("x", 1.0), v = m.state("v", 0.5);
    const Expr force = m.parameter("Fs", Fs), decay = m.parameter("gamma", gamma);
    m.equation(der(x) == v);
    m.equation(der(v) == -3.0 * x - force * sign(v - 0.2) / (1.0 + decay * abs(v - 0.2)));
    return m.build();
  }
  static RunOptions options() { return {.t_end = t_end, .rtol = 1e-8, .atol = 1e-8}; }

  /// Positions with normal errors, of the true parameters.
  static Measurement measured(unsigned seed) {
    const Solution truth = simulate(model(), options());
    std::mt19937 generator(seed);
    std::normal_distribution<double> error(0.0, sigma);
    Measurement data{"x", {}, {}, {sigma}};
    for (int i = 1; i <= n_points; ++i) {
      data.times.push_back(t_end * i / n_points);
      data.values.push_back(truth.at("x", data.times.back(), Side::left) + error(generator));
    }
    return data;
  }
  static std::vector<FitParameter> parameters(int start) {
    return {{"Fs", starts[start][0]}, {"gamma", starts[start][1]}};
  }
  static FitProblem problem(unsigned seed, int start) {
    return {model(), parameters(start), {measured(seed)}, options()};
  }

  /// The largest distance from the truth in standard errors of the fit itself.
  static double distance(const FitResult& r) {
    double largest = 0.0;
    const double truth[] = {Fs, gamma};
    for (std::size_t k = 0; k < 2; ++k) {
      const FittedParameter& p = r.parameters[k];
      if (!p.standard_error) return INFINITY;
      largest = std::max(largest, std::abs(p.value - truth[k]) / *p.standard_error);
    }
    return largest;
  }
  static bool recovers(const FitResult& r) { return r.ok() && distance(r) <= 3.0; }
};

/// The same with derivatives as an integrator has them that knows nothing of events: the control.
class BeltFitWithoutJumps final : public LeastSquaresProblem {
 public:
  BeltFitWithoutJumps(unsigned seed, int start)
      : parameters_(BeltFit::parameters(start)), data_(BeltFit::measured(seed)) {}

  std::span<const FitParameter> parameters() const override { return parameters_; }
  bool sigma_known() const override { return true; }
  Result<ResidualValues> evaluate(std::span<const double> p) const override {
    const std::vector<std::string> names = {"Fs", "gamma"};
    const std::vector<Named<double>> values = {{"Fs", p[0]}, {"gamma", p[1]}};
    const auto states = with_parameters_as_states(with_values(BeltFit::model(), values), names);
    const RunOptions options = BeltFit::options();
    ForwardSensitivities plain(names, {options.rtol, options.atol, false});
    Run run("belt", compile_model(states.model), options, null_observer(), &plain);
    while (run.advance()) {
    }
    const Solution s = run.finish();
    const Sensitivities found = plain.take();
    if (!s.ok()) return Failure{FailureCode::not_converged, s.report.message};
    if (found.ends()) return Failure{FailureCode::not_certified, found.ends()->why};
    ResidualValues r{{}, Matrix(BeltFit::n_points, 2)};
    for (std::size_t i = 0; i < data_.times.size(); ++i) {
      const double t = data_.times[i];
      r.residuals.push_back((s.at("x", t, Side::left) - data_.values[i]) / BeltFit::sigma);
      for (std::size_t k = 0; k < 2; ++k)
        r.jacobian(i, k) = found.at("x", names[k], t, Side::left) / BeltFit::sigma;
    }
    return r;
  }

 private:
  std::vector<FitParameter> parameters_;
  Measurement data_;
};

}  // namespace saltus::problems
