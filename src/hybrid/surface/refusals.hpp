// What is said where a point on surfaces has no way on, or a motion on them cannot be had.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "hybrid/mode/mode_run.hpp"
#include "hybrid/surface/surface_way.hpp"

namespace saltus::detail {

/// How the solution came to surfaces from which it has no way on.
enum class WayOnto : std::uint8_t { motion, start, reset };
Failure no_way(double t, const SurfaceWay& way, WayOnto came_by = WayOnto::motion);
/// A function such as v^3, whose sides cannot be told by how fast it changes.
Failure flat_surface(double t, const SurfaceWay& way);
/// What a motion on surfaces of a mode takes and cannot have.
std::optional<Failure> cannot_mix(const ModeRun& mode, const SurfaceWay& way,
                                  const RunOptions& options);
/// Without a hidden constraint that decides it, the start itself shows whether a blended motion is possible.
std::optional<Failure> out_of_range(const ModeRun& slider);
/// In words why the sides of a surface have no motion in common; what was said before if that is not the reason.
/// `is_kept`: the solution was on surfaces of this mode.
Failure apart(ModeRun& mode, const EventPoint& at, std::span<const std::uint32_t> relations,
              const Failure& said, bool is_kept, const RunOptions& options);

}  // namespace saltus::detail
