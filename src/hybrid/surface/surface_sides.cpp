#include "hybrid/surface/surface_sides.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>

namespace saltus::detail {

namespace {

// Movements below so many tolerances are what integration and location leave.
constexpr double noticeable_move = 100.0;

/// The number that textbooks call index: 0 for an ODE.
std::string index_text(const CharacteristicValues& v) {
  const int index = v.a == 0 ? 0 : v.mu + 1;
  return "index " + std::to_string(index) + " (characteristic values " + to_text(v) + ")";
}

std::string side_text(const SideContent& side) {
  std::string text = std::string("where it is ") + (side.truth ? "true" : "false") + " they have ";
  text += side.values ? index_text(*side.values) : "no solution near this point";
  if (!side.moved.empty()) text += " and would make '" + join(side.moved, "', '") + "' jump";
  return text;
}

SideContent content_of(ModeRun& mode, const UnknownPairing::Point& at, double t,
                       std::uint32_t which) {
  SideContent side;
  const System& system = *mode.original;
  Workspace& workspace = *mode.original_workspace;
  const StartValues guess{at.x, at.xdot, std::vector<std::uint8_t>(at.x.size(), 0)};
  const auto found = analyze_index(system, workspace, t, guess);
  ++mode.visit.n_analyses;
  if (!found) return side;
  side.values = found->values;
  const std::size_t n = at.x.size();
  const auto carries = system.carries_derivative();
  for (std::uint32_t i = 0; i < n; ++i) {
    const double tolerance =
        mode.engine_options.rtol * std::abs(at.x[i]) + mode.options.atol * system.nominal(i);
    if (carries[i] && std::abs(found->path[i] - at.x[i]) > noticeable_move * tolerance)
      side.moved.push_back(system.unknown_name(i));
  }
  auto* functions = workspace.ability<SwitchingFunctions>();
  const auto x = std::span<const double>(found->path).first(n);
  double g = 0.0;
  if (functions != nullptr &&
      functions->evaluate_one(which, t, x, std::span<const double>(found->path).subspan(n, n), g))
    side.g = g;
  return side;
}

}  // namespace

bool SurfaceSides::has_other_index() const {
  return here.values && beyond.values && *here.values != *beyond.values;
}

bool SurfaceSides::has_other_constraints() const {
  return here.moved != beyond.moved || here.values.has_value() != beyond.values.has_value();
}

bool SurfaceSides::jumps() const { return beyond.g && std::abs(*beyond.g) > margin; }

std::string SurfaceSides::text() const {
  if (only_jumps()) {
    return "its function reads unknowns that jump with it: it is " +
           std::string(beyond.truth ? "false" : "true") + " here, but where it is " +
           (beyond.truth ? "true" : "false") + " its function is " + to_text(*beyond.g);
  }
  return std::string("the equations on its two sides have ") +
         (has_other_index() ? "a different index" : "different constraints") + ": " +
         side_text(here.truth ? here : beyond) + ", " + side_text(here.truth ? beyond : here);
}

SurfaceSides sides_of(ModeRun& mode, const EventPoint& at, std::span<const std::uint32_t> crossed,
                      double margin) {
  SurfaceSides sides;
  const std::uint32_t first = crossed.front();
  sides.relation = mode.kit->board.info(first).name;
  sides.margin = margin;
  sides.here.truth = mode.kit->board.truth(first);
  sides.beyond.truth = !sides.here.truth;
  mode.tell_original();
  Workspace& original = *mode.original_workspace;
  auto* locks = original.ability<Locks>();
  if (locks == nullptr || original.ability<DerivativeLevels<double>>() == nullptr ||
      original.ability<DerivativeLevels<Quad>>() == nullptr)
    return sides;
  const UnknownPairing::Point point =
      mode.pairing->original(*mode.system, *mode.workspace, at.t, at.x, at.xdot);
  const bool here = sides.here.truth;
  sides.here = content_of(mode, point, at.t, first);
  sides.here.truth = here;
  for (const std::uint32_t w : crossed) locks->set_lock(w, !mode.kit->board.truth(w));
  sides.beyond = content_of(mode, point, at.t, first);
  sides.beyond.truth = !here;
  mode.tell_original();
  return sides;
}

}  // namespace saltus::detail
