// Decides how the solution goes on from a point on surfaces.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hybrid/stay/frame.hpp"
#include "hybrid/surface/surface_study.hpp"
#include "hybrid/surface/surface_way.hpp"

namespace saltus::detail {

class SurfaceJudge {
 public:
  explicit SurfaceJudge(const Frame& frame)
      : here_(frame.here),
        options_(frame.options),
        ledger_(frame.ledger),
        follower_(frame.follower) {}

  /// Relations of `mode` within their margin at a point that choose equations there: under the present truths, or on
  /// a side of the surfaces of those.
  std::vector<std::uint32_t> on_surface(ModeRun& mode, const EventPoint& at,
                                        std::span<const double> margin) const;
  /// Relations that crossed, or were set to their surface, and may be held there although both sides lead the same way:
  /// static friction.
  std::vector<std::uint32_t> held_on_surface(const EventPoint& at,
                                             std::span<const double> margin) const;
  /// The decision, and the relations of `mode` on the sides it takes.
  Result<SurfaceWay> find_way(ModeRun& mode, const EventPoint& at, const SurfaceCase& what);
  /// Relations that are to switch although both sides lead back.
  void switch_what_must_cross(std::span<const std::uint32_t> undecided, const EventPoint& at);
  /// A transition of the mode that is the motion on one of these surfaces.
  static std::optional<std::uint32_t> action_on_surface(const ModeRun& mode,
                                                        std::span<const Surface> kept);
  /// In words why the sides of a surface have no motion in common.
  Failure apart(ModeRun& mode, const EventPoint& at, std::span<const std::uint32_t> relations,
                const Failure& said) const;

 private:
  bool may_hold(const SwitchBoard& board, std::uint32_t which, double t) const;
  Result<SurfaceDecision> decide(SurfaceStudy& study, ModeRun& mode, const EventPoint& at,
                                 const SurfaceCase& what, SurfaceWay& way);
  Result<void> keep(SurfaceStudy& study, ModeRun& mode, const EventPoint& at,
                    const SurfaceCandidate& taken, SurfaceWay& way);
  static void tell_sides(const SurfaceStudy& study, const ModeRun& mode, const EventPoint& at,
                         std::span<const SlidingPoint> vertices,
                         std::span<const std::uint32_t> kept, std::uint32_t vertex,
                         SurfaceWay& way);
  SlidingForm form_of(const ModeRun& mode, const EventPoint& at, std::span<const Surface> kept,
                      std::span<const SlidingPoint> vertices) const;
  void warn_of_close_surfaces(const ModeRun& mode, double t,
                              std::span<const SurfaceStudy::Apart> pairs);

  const Stay& here_;
  const RunOptions& options_;
  Ledger& ledger_;
  const FollowerPort& follower_;
};

}  // namespace saltus::detail
