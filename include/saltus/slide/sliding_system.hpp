// Motion on switching surfaces as a system of its own.
//
// The system below, `base`, is smooth on each side of its surfaces; its locks choose the side, or, where it
// has none, a point a little on that side does. On z surfaces its 2^z vertices are mixed, with one multiplier
// u_k in [-1, 1] per surface, so that the solution stays on all of them. Besides g_k = 0 the hidden constraint
//
//   dg_k/dt + dg_k/dx . x' = 0                                                                     (S.3)
//
// is part of the equations. In which form depends on the engine:
//
//   eliminated  x' = sum_b w_b f_b(t, x) with multipliers from (S.2) at every point, and a projection onto
//               g = 0 after steps. Needs ExplicitForm. Behind the unknowns of base follow U_k with
//               U_k' = u_k: a step's polynomial tells u between its ends.
//   mixed       0 = sum_b w_b(u) F_b(t, x, x'), g_k = 0, (S.3). Behind the unknowns of base follow u_k, and one
//               p_k per surface that stands for the derivative of a state which g_k = 0 determines.
//               The same as Filippov's mixture of the motions where both sides are affine with the same
//               matrices in what differs between them; otherwise it is Utkin's equivalent control.
//   copies      Each vertex has its own x'_b and its own algebraic unknowns: F_b(t, x_b, x'_b) = 0, and states
//               move with sum_b w_b x'_b. Filippov's motion whatever the equations are; the algebraic
//               unknowns of base show the mixture.
//   blended     0 = sum_b w_b(u) F_b(t, x, x') and g_k = 0 without (S.3): sides with different constraints.
//               A modelling choice without a theory of uniqueness, only on request.
//
// Variables that the sides define differently (outputs) show the mixture.
//
// Switching functions are those of base, at the same numbers; those of the surfaces are not active. Behind
// them follow two per surface k, of kind SwitchKind::exit: 1 - h u_k and 1 + h u_k, positive while it slides, where h
// is 1, or less for surfaces that hold more than their sides say (SwitchInfo::hold).
// Locks of base relations stay what they are told; those of the surfaces do not matter. Everything else
// that base offers (HeldValues, ScheduledTimes, StepRefresh, EventActions, …) is handed through.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/slide/surface.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

enum class SlidingForm : std::uint8_t { eliminated, mixed, copies, blended };
constexpr std::string_view name(SlidingForm form) noexcept {
  constexpr std::string_view names[] = {"eliminated", "mixed", "copies", "blended"};
  return names[static_cast<std::size_t>(form)];
}

struct SlidingOptions {
  SlidingForm form = SlidingForm::eliminated;
  SlidingRule rule = SlidingRule::bilinear;  // moments: eliminated only
};

/// A point of base at which sliding begins, its surfaces among it, up to the error of a step.
struct SlidingPoint {
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> xdot;
};

/// Start values are those of the point, with multipliers and everything added filled in as a guess that a
/// search for a consistent start completes. Fails (singular) if no state of base can be determined by g_k = 0.
/// Locks, held values and choices of states are taken from `workspace`, one of base, which is left as it was.
Result<std::shared_ptr<const System>> sliding_system(std::shared_ptr<const System> base,
                                                     Workspace& workspace,
                                                     std::vector<Surface> surfaces,
                                                     const SlidingPoint& at,
                                                     const SlidingOptions& options = {});

/// Start values for the same motion from another point, and `workspace`, one of the sliding system, ready for it
/// as if it had been made there. None if that has to be made anew: another form than `eliminated`, another base or rule, states
/// that are chosen along the way, or no motion that stays on the surfaces there.
std::optional<StartValues> slide_again(const System& sliding, Workspace& workspace,
                                       const System& base, Workspace& base_workspace,
                                       const SlidingPoint& at, const SlidingOptions& options);

/// What a workspace of a sliding system offers besides: an ability.
class Sliding {
 public:
  virtual ~Sliding() = default;
  virtual std::uint32_t n_surfaces() const = 0;
  /// Multipliers at a point of the sliding system.
  virtual std::span<const double> multipliers(std::span<const double> x,
                                              std::span<const double> xdot) = 0;
  /// The workspace of base, with the locks it was last told.
  virtual Workspace& base() = 0;
  /// Evaluations of one side at one point so far, with those that made the system.
  virtual std::uint64_t n_side_evaluations() const = 0;
  /// Whether rates() and gradients() of the switching functions say those of exits, as they do unless told
  /// otherwise: each takes evaluations of all sides. If not they are zero.
  virtual void set_exit_slopes(bool wanted) = 0;
};

/// The point, moved onto the surfaces by as little as possible. False if that does not succeed.
bool project_on_surfaces(const System& base, Workspace& workspace,
                         std::span<const Surface> surfaces, double t, std::span<double> x,
                         std::span<const double> xdot);

/// The form for an implicit engine at a point: `mixed` where it is Filippov's motion, else `copies`.
SlidingForm form_for(const System& base, Workspace& workspace, std::span<const Surface> surfaces,
                     std::span<const SlidingPoint> vertex_points);

}  // namespace saltus
