// The system below, with what evaluates it on the sides of its surfaces.
#pragma once

#include <memory>

#include "slide/dae/sliding_pivots.hpp"
#include "slide/equations/sliding_base.hpp"
#include "slide/equations/sliding_equations.hpp"

namespace saltus::detail {

struct BaseAtSides {
  explicit BaseAtSides(const SlidingBase& base)
      : system(*base.system),
        workspace(base.workspace()),
        sides(*workspace, base.surfaces),
        surfaces(system, sides),
        equations(system, *workspace, sides, surfaces),
        gradients(system) {}
  BaseAtSides(const BaseAtSides&) = delete;
  BaseAtSides& operator=(const BaseAtSides&) = delete;

  const System& system;
  std::unique_ptr<Workspace> workspace;
  SlidingSides sides;
  SurfaceFunctions surfaces;
  SideEquations equations;
  StateGradients gradients;
};

/// Which unknowns of a base are integrated: its choice, or those with derivatives.
std::span<const std::uint8_t> states_of(const System& base, Workspace& workspace);

}  // namespace saltus::detail
