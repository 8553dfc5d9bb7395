// What the equations on both sides of a surface are, where they have no state in common to go on from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/reduce/index_analysis.hpp>

#include "hybrid/mode/mode_run.hpp"

namespace saltus::detail {

/// The equations of a mode as they were written, with its relations as they are on one side.
struct SideContent {
  bool truth = false;  // of the relation that the surface is named after
  /// Nothing if they could not be analysed.
  std::optional<CharacteristicValues> values;
  /// Unknowns with derivatives that are not what they were where these equations hold.
  std::vector<std::string> moved;
  /// The relation's function where these equations hold.
  std::optional<double> g;
};

/// Both sides of one surface.
struct SurfaceSides {
  std::string relation;
  double margin = 0.0;  // below this g is on the surface
  SideContent here, beyond;

  bool has_other_index() const;
  bool has_other_constraints() const;
  /// The relation reads unknowns that jump with it: they are on one side or on the other, never on the surface.
  bool jumps() const;
  bool only_jumps() const { return jumps() && !has_other_index() && !has_other_constraints(); }
  /// Nothing is in the way of mixing them, or nothing is known.
  bool are_alike() const { return !has_other_index() && !has_other_constraints() && !jumps(); }
  /// "where it is true they have index 1, where it is false index 2".
  std::string text() const;
};

/// At a point of a mode; `crossed`, relations of one surface, have on its other side the other truth. Truths stay.
SurfaceSides sides_of(ModeRun& mode, const EventPoint& at, std::span<const std::uint32_t> crossed,
                      double margin);

}  // namespace saltus::detail
