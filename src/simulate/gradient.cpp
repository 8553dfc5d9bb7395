#include <saltus/simulate/gradient.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus {

namespace {

/// How the end of the run moves with every parameter; empty: it is where it was asked to be.
std::vector<double> motion_of_the_end(const Solution& s) {
  for (const EventTimeDerivative& e : s.sensitivities.event_times())
    if (e.t == s.t_end()) return e.derivatives;
  return {};
}

/// Empty: derivatives at the end exist.
std::string why_refused(const Solution& s, const std::vector<double>& motion) {
  const bool by_event = s.report.outcome == Outcome::terminal_event;
  if (by_event && motion.empty())
    return "the derivative of the time of the event that ends the run is not known";
  const bool moves = std::ranges::any_of(motion, [](double v) { return v != 0; });
  if (!by_event && moves)
    return "an event falls on the end of the run: with other parameters it happens before or after";
  return {};
}

}  // namespace

double Gradient::of(std::string_view parameter) const {
  if (refused)
    throw Error("no derivatives of " + quote(functional) + " at t = " + to_text(refused->t) + ": " +
                refused->why);
  std::vector<std::string_view> known;
  for (const Named<double>& d : derivatives) {
    if (d.name == parameter) return d.value;
    known.push_back(d.name);
  }
  const auto nearest = nearest_name(parameter, known);
  throw Error("no derivative with respect to " + quote(parameter) + " was asked for" +
              (nearest ? "; did you mean " + quote(*nearest) + "?" : std::string()));
}

Gradient gradient(const Solution& s, std::string_view functional) {
  Gradient g{std::string(functional), s.t_end(), 0.0, {}, {}};
  const Side inside = s.trajectory.backward() ? Side::right : Side::left;
  if (!s.trajectory.empty()) g.value = s.at(functional, g.t, inside);
  if (s.report.outcome != Outcome::finished && s.report.outcome != Outcome::terminal_event) {
    g.refused = NoDerivative{g.t, "the run ended early: " + s.report.message};
    return g;
  }
  if (const auto& ends = s.sensitivities.ends()) {
    g.refused = *ends;
    return g;
  }
  const auto motion = motion_of_the_end(s);
  if (const std::string why = why_refused(s, motion); !why.empty()) {
    g.refused = NoDerivative{g.t, why};
    return g;
  }
  const bool moves = s.report.outcome == Outcome::terminal_event;
  const auto& parameters = s.sensitivities.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto column =
        s.sensitivities.trajectory().index_of(Sensitivities::column(functional, parameters[k]));
    const auto fixed = s.sensitivities.trajectory().at(column, g.t, inside);
    if (!fixed) {
      g.derivatives.clear();
      g.refused = NoDerivative{g.t, "'" + g.functional + "' cannot be differentiated there"};
      return g;
    }
    double moved = 0.0;
    if (moves && motion[k] != 0) {
      // of the model: polynomials of steps have an order less
      const auto rate = s.sensitivities.rate_before_event(functional, g.t);
      if (!rate) {
        g.derivatives.clear();
        g.refused =
            NoDerivative{g.t, "the rate of change of '" + g.functional + "' there is not known"};
        return g;
      }
      moved = *rate * motion[k];
    }
    g.derivatives.push_back({parameters[k], *fixed + moved});
  }
  return g;
}

Gradient gradient(std::shared_ptr<const ModelDefinition> model, std::string_view functional,
                  std::vector<std::string> with_respect_to, RunOptions options) {
  options.sensitivities = std::move(with_respect_to);
  return gradient(simulate(std::move(model), options), functional);
}
Gradient gradient(const Model& model, std::string_view functional,
                  std::vector<std::string> with_respect_to, RunOptions options) {
  return gradient(model.build(), functional, std::move(with_respect_to), std::move(options));
}

}  // namespace saltus
