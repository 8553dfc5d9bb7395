#include "hybrid/surface/refusals.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/monitoring.hpp>

#include "hybrid/surface/surface_sides.hpp"

namespace saltus::detail {

namespace {

constexpr const char* ways_out =
    "write the motion on the surface as a mode of its own (a transition with .at_sliding = true), "
    "or the sides as two modes with transitions";

/// Whether a relation reads something that constraints determine: then they may also keep it at its surface.
bool reads_what_follows(ModeRun& mode, const EventPoint& at, std::uint32_t which) {
  SwitchingFunctions& functions = mode.kit->board.functions();
  const CscPattern& p = functions.gradient_pattern();
  std::vector<double> gradients(static_cast<std::size_t>(p.nnz()));
  if (!functions.gradients(at.t, at.x, at.xdot, gradients)) return false;
  const auto carries = mode.system->carries_derivative();
  for (std::uint32_t j = 0; j < carries.size(); ++j) {
    if (carries[j]) continue;
    for (auto s = p.column_start[j]; s < p.column_start[j + 1]; ++s) {
      const auto slot = static_cast<std::size_t>(s);
      if (static_cast<std::uint32_t>(p.row[slot]) == which && gradients[slot] != 0) return true;
    }
  }
  return false;
}

/// Equivalent control averages what relations choose. Averages of equations, or of motions, are the same only where
/// equations are linear in it.
std::optional<Failure> cannot_average(const ModeRun& mode, std::span<const Surface> kept,
                                      SlidingForm form) {
  const bool mixes_motions = form == SlidingForm::eliminated;
  const std::string take_implicit =
      "events.sliding_field = equivalent_control takes engine radau or ida here: ";
  if (mixes_motions && mode.visit.n_reductions > 0)
    return Failure{FailureCode::not_certified,
                   take_implicit +
                       "the equations were solved for x' and constraints, which leaves "
                       "only the motions of both sides to mix (filippov)"};
  const auto* here = mode.workspace->ability<SwitchingFunctions>();
  const auto* written = mode.original_workspace->ability<SwitchingFunctions>();
  if (here == nullptr || written == nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const Surface& surface : kept)
    for (const std::uint32_t which : surface.switches) names.push_back(here->info(which).name);
  for (std::uint32_t k = 0; k < written->count(); ++k) {
    const std::string& name = written->info(k).name;
    if (std::ranges::find(names, name) == names.end()) continue;
    if (const auto row = written->nonlinear_in_choice(k, false))
      return Failure{FailureCode::not_certified,
                     "events.sliding_field = equivalent_control averages what '" + name +
                         "' chooses, but equation '" + mode.original->equation_name(*row) +
                         "' is not linear in it; give it an unknown of its own (u == where(" +
                         name + ", …), with u in its place), or take filippov"};
    if (const auto row = mixes_motions ? written->nonlinear_in_choice(k, true) : std::nullopt)
      return Failure{FailureCode::not_certified,
                     take_implicit + "in equation '" + mode.original->equation_name(*row) +
                         "' derivatives have factors that '" + name +
                         "' chooses, and explicit engines mix motions (filippov)"};
  }
  return std::nullopt;
}

std::string advice_where_no_way(bool several, WayOnto came_by) {
  if (!several)
    return "; give the relation a hysteresis (events.hysteresis), or write the motion on the "
           "surface as a mode of its own (a transition with .at_sliding = true)";
  switch (came_by) {
    case WayOnto::start:
      return "; start beside the surface, on the intended side";
    case WayOnto::reset:
      return "; let the action set a value beside the surface, on the intended side";
    case WayOnto::motion:
      break;
  }
  return "; choose one where the run waits for it (events.surface = stop, Run::choose), or write "
         "the motion on the surface as a mode of its own (a transition with .at_sliding = true)";
}

}  // namespace

Failure no_way(double t, const SurfaceWay& way, WayOnto came_by) {
  const bool several = way.kind == DecisionKind::several;
  return {FailureCode::not_certified,
          "at t = " + to_text(t) + ", on the surface of " + way.who +
              (several ? ", the solution can go on in more than one way: none is chosen"
                       : ", no way to go on is consistent") +
              "; " + ways_text(way.records) + advice_where_no_way(several, came_by)};
}

Failure flat_surface(double t, const SurfaceWay& way) {
  return {
      FailureCode::not_certified,
      "at t = " + to_text(t) + ", on the surface of '" + way.flat +
          "': both sides may lead to it, but the gradient of its function vanishes there (as "
          "that of v^3 does at v = 0), so that its rate does not decide; write the relation with a "
          "function that has a slope at its zero (v > 0 instead of v^3 > 0), or give it a "
          "hysteresis (events.hysteresis)"};
}

Failure apart(ModeRun& mode, const EventPoint& at, std::span<const std::uint32_t> relations,
              const Failure& said, bool is_kept, const RunOptions& options) {
  const std::uint32_t first = relations.front();
  const double margin = mode.kit->locator.margins(at, relations)[first];
  const SurfaceSides sides = sides_of(mode, at, relations, margin);
  if (sides.are_alike()) return said;
  std::string text = "at t = " + to_text(at.t) + ", on the surface of '" + sides.relation +
                     "': " + sides.text() + ". ";
  if (is_kept) {
    text +=
        "The solution leaves the surface for equations that this mode was not prepared for: write "
        "the sides as two modes with transitions";
  } else if (options.events.sliding_field == SlidingField::blended) {
    text += "Constraints of both sides cannot be blended here (events.sliding_field): " +
            (reads_what_follows(mode, at, first)
                 ? said.message
                 : "'" + sides.relation + "' reads nothing that they determine") +
            "; " + ways_out;
  } else {
    text +=
        "The solution can neither cross it nor slide on it: no mixture of constraints is "
        "Filippov's motion. To go on, ";
    text += ways_out;
    text += reads_what_follows(mode, at, first)
                ? "; or opt in to mixing the constraints of both sides with events.sliding_field = "
                  "blended (engines radau and ida)"
                : "; to opt in to mixing the constraints of both sides (events.sliding_field = "
                  "blended) takes a relation that reads an unknown they determine";
    if (sides.only_jumps()) text += "; or give it a hysteresis wider than the jump";
  }
  return {FailureCode::not_certified, text};
}

std::optional<Failure> cannot_mix(const ModeRun& mode, const SurfaceWay& way,
                                  const RunOptions& options) {
  if (way.depends_on_rule && way.options.rule == SlidingRule::reject) {
    return Failure{
        FailureCode::not_certified,
        "the motion on them depends on how their sides are mixed, and "
        "events.sliding_rule = reject; choose a rule (bilinear or moments), or write the "
        "motion as a mode of its own (a transition with .at_sliding = true)"};
  }
  if (way.depends_on_rule && way.options.rule == SlidingRule::moments &&
      way.options.form != SlidingForm::eliminated) {
    return Failure{FailureCode::not_certified,
                   "events.sliding_rule = moments is offered by the engines dopri5 and dop853 "
                   "only, but this mode takes an implicit one; take the rule bilinear"};
  }
  if (options.events.sliding_field == SlidingField::equivalent_control) {
    if (auto refused = cannot_average(mode, way.kept, way.options.form)) return refused;
  }
  // Bases that are chosen anew with every change of a relation are no equations to mix.
  if (mode.workspace->ability<RedundancyWatch>() == nullptr) return std::nullopt;
  const bool asked = options.reduction == ReductionKind::ranks;
  return Failure{
      FailureCode::not_certified,
      std::string("both sides lead to it, but the equations were reduced by ranks (") +
          (asked ? "option reduction = ranks" : "their structure does not determine their index") +
          "), and the results on the two sides cannot be mixed. " +
          (asked ? "Let the structure reduce them (reduction = automatic)"
                 : "Leave out redundant equations and determine all unknowns, so that they can be "
                   "reduced by structure") +
          ", write the motion on the surface as a mode of its own (a transition with .at_sliding = "
          "true), or give the relation a hysteresis (events.hysteresis)"};
}

std::optional<Failure> out_of_range(const ModeRun& slider) {
  if (slider.on_surfaces->options.form != SlidingForm::blended) return std::nullopt;
  const auto u =
      slider.workspace->ability<Sliding>()->multipliers(slider.start.x, slider.start.xdot);
  for (const double value : u) {
    if (std::abs(value) <= 1.0) continue;
    return Failure{FailureCode::not_certified,
                   "the mixture that stays on the surface takes a multiplier of " + to_text(value) +
                       ", outside of -1 to 1"};
  }
  return std::nullopt;
}

}  // namespace saltus::detail
