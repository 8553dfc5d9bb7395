// Derivatives beside those of tests/reference: before and after every event, at the end, and of event times.
// SALTUS_REFERENCE_DIR names the folder.
#pragma once

#include "accuracy/reference_files.hpp"
#include "problems/carver_circuit.hpp"
#include "problems/dsl48se_small_hybrid.hpp"
#include "problems/sensitive_problem.hpp"

namespace saltus::problems {

/// Per parameter, of a vector of unknowns: event by event.
struct ReferenceDerivatives {
  std::vector<double> times;
  std::vector<std::vector<double>> dtdp, before, after, final;  // by parameter
};

inline ReferenceDerivatives read_derivatives(const std::string& file) {
  const std::string all = test::reference_text(file);
  ReferenceDerivatives r;
  r.times = test::arrays_of_numbers(all, "events").at(0);
  r.dtdp = test::arrays_of_numbers(all, "dtdp");
  r.before = test::arrays_of_numbers(all, "before");
  r.after = test::arrays_of_numbers(all, "after");
  r.final = test::arrays_of_numbers(all, "final");
  return r;
}

struct ReferenceProblem {
  SensitiveProblem problem;
  ReferenceDerivatives reference;
};

inline ReferenceProblem sensitive_small_hybrid() {
  SensitiveProblem p{.name = "small hybrid", .parameters = {{"p", 2.9}}};
  p.write = [](Model& m, std::span<const double>) {
    ModelWriter w(m);
    write_small_hybrid(w);
  };
  p.t_end = 2.0;
  p.variables = {"x"};
  return {p, read_derivatives("dsl48se_sensitivities.json")};
}

inline ReferenceProblem sensitive_carver_circuit() {
  SensitiveProblem p{.name = "Carver circuit"};
  Expr CarverConstants::*const fields[] = {
      &CarverConstants::a1, &CarverConstants::a2,  &CarverConstants::a3,  &CarverConstants::a4,
      &CarverConstants::a5, &CarverConstants::a6,  &CarverConstants::a7,  &CarverConstants::a8,
      &CarverConstants::a9, &CarverConstants::a10, &CarverConstants::a11, &CarverConstants::a12,
      &CarverConstants::r3, &CarverConstants::l3};
  constexpr double values[] = {12.0, 0.24,   12.0,  0.24, 13.64, -11.64, -50.0,
                               0.0,  -11.64, 13.64, 0.0,  -50.0, 10.0,   0.2};
  for (std::size_t k = 0; k < std::size(values); ++k) {
    const std::string name = k < 12 ? "a" + std::to_string(k + 1) : k == 12 ? "r3" : "l3";
    p.parameters.push_back({name, values[k]});
  }
  p.write = [fields = std::vector(std::begin(fields), std::end(fields)), names = p.names()](
                Model& m, std::span<const double> at) {
    CarverConstants c;
    for (std::size_t k = 0; k < names.size(); ++k) c.*fields[k] = m.parameter(names[k], at[k]);
    ModelWriter w(m);
    write_carver_circuit_with(w, c);
  };
  p.t_end = 0.05;
  p.variables = {"x1", "x2", "v3"};
  p.explicit_engines = false;
  return {p, read_derivatives("carver_sensitivities.json")};
}

/// Relative errors.
struct DerivativeErrors {
  double before = 0.0, after = 0.0, end = 0.0, times = 0.0;
  std::string why;  // there are none
  double of_unknowns() const { return std::max({before, after, end}); }
  double worst() const { return std::max(of_unknowns(), times); }
};

namespace sensitive_detail {

inline double largest_magnitude(std::span<const double> v) {
  double m = 0.0;
  for (const double x : v) m = std::max(m, std::abs(x));
  return m;
}

}  // namespace sensitive_detail

/// Vectors of unknowns relative to their largest component; where all are zero, to the largest there is of that
/// parameter, and without any influence to 1/|parameter|. With `times` also those of event times.
inline DerivativeErrors errors_of(const ReferenceProblem& rp, const Solution& s,
                                  bool times = true) {
  using sensitive_detail::largest_magnitude;
  const SensitiveProblem& p = rp.problem;
  const ReferenceDerivatives& r = rp.reference;
  DerivativeErrors e;
  const auto none = [&](std::string why) {
    e = {no_error_known, no_error_known, no_error_known, no_error_known, std::move(why)};
    return e;
  };
  if (!s.ok()) return none(s.report.message);
  if (s.sensitivities.ends()) return none(s.sensitivities.ends()->why);
  const auto& found = s.sensitivities.event_times();
  if (times && found.size() != r.times.size())
    return none(std::to_string(found.size()) + " derivatives of times");
  if (s.instants().size() < r.times.size()) return none("events are missing");
  const std::size_t n = p.variables.size();
  for (std::size_t k = 0; k < p.parameters.size(); ++k) {
    const std::string& name = p.parameters[k].name;
    double column = std::max({largest_magnitude(r.before[k]), largest_magnitude(r.after[k]),
                              largest_magnitude(r.final[k])});
    const double value = std::abs(p.parameters[k].value);
    if (column == 0) column = 1.0 / (value > 0 ? value : 1.0);
    const auto compare = [&](std::span<const double> exact, double t, Side side, double& worst) {
      double size = largest_magnitude(exact);
      if (size == 0) size = column;
      for (std::size_t i = 0; i < n; ++i) {
        const double error = s.sensitivity(p.variables[i], name, t, side) - exact[i];
        worst = std::max(worst, std::abs(error) / size);
      }
    };
    double longest = largest_magnitude(r.dtdp[k]);
    if (longest == 0) longest = p.t_end / (value > 0 ? value : 1.0);
    for (std::size_t j = 0; j < r.times.size(); ++j) {
      const auto nearest = std::min_element(
          s.instants().begin(), s.instants().end(), [&](const auto& a, const auto& b) {
            return std::abs(a.t - r.times[j]) < std::abs(b.t - r.times[j]);
          });
      // Roundings may divide an instant into two, of which one has the crossing.
      const double t = times ? found[j].t : nearest->t;
      compare(std::span(r.before[k]).subspan(j * n, n), t, Side::left, e.before);
      compare(std::span(r.after[k]).subspan(j * n, n), t, Side::right, e.after);
      if (!times) continue;
      const double exact = r.dtdp[k][j], size = exact != 0 ? std::abs(exact) : longest;
      e.times = std::max(e.times, std::abs(found[j].derivatives[k] - exact) / size);
    }
    compare(r.final[k], p.t_end, Side::left, e.end);
  }
  return e;
}

}  // namespace saltus::problems
