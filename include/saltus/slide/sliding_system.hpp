// Builds the motion on switching surfaces as a system of its own.
//
// The underlying system, `base`, is smooth on each side of its surfaces. Its locks choose the side;
// without locks, a point slightly on that side does. On z surfaces its 2^z vertices are mixed, with
// one multiplier u_k in [-1, 1] per surface, so that the solution stays on all of them. Besides
// g_k = 0 the hidden constraint
//
//   dg_k/dt + dg_k/dx . x' = 0                                                              (S.3)
//
// is part of the equations. The form depends on the engine:
//
//   eliminated  x' = sum_b w_b f_b(t, x) with multipliers from (S.2) at every point, and a
//               projection onto g = 0 after steps. Needs ExplicitForm. The unknowns of base are
//               followed by U_k with U_k' = u_k: a step's polynomial gives u between its ends.
//   mixed       0 = sum_b w_b(u) F_b(t, x, x'), g_k = 0, (S.3). The unknowns of base are followed
//               by u_k, and by one p_k per surface that stands for the derivative of a state which
//               g_k = 0 determines. The same as Filippov's mixture of the motions where both sides
//               are affine with the same matrices in the terms that differ; otherwise it is Utkin's
//               equivalent control.
//   copies      Each vertex has its own x'_b and its own algebraic unknowns: F_b(t, x_b, x'_b) = 0,
//               and states move with sum_b w_b x'_b. This is Filippov's motion for all equations;
//               the algebraic unknowns of base show the mixture.
//   blended     0 = sum_b w_b(u) F_b(t, x, x') and g_k = 0 without (S.3): sides with different
//               constraints. A modelling choice without a theory of uniqueness, only on request.
//
// Variables that the sides define differently (outputs) show the mixture.
//
// Switching functions are those of base, with the same numbers; those of the surfaces are not
// active. They are followed by two per surface k, of kind SwitchKind::exit: 1 - h u_k and 1 + h
// u_k, positive while the solution slides. h is 1, or less for surfaces that hold more than their
// sides alone (SwitchInfo::hold). Locks of base relations keep the values that were set; those of
// the surfaces do not matter. All other abilities of base (HeldValues, ScheduledTimes, StepRefresh,
// EventActions, …) are passed through.
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

/// A point of base at which sliding begins; it lies on the surfaces up to the error of a step.
struct SlidingPoint {
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> xdot;
};

/// Returns the sliding system. Its start values are those of the point; multipliers and other added
/// unknowns are guesses that a search for a consistent start completes. Fails (singular) if g_k = 0
/// determines no state of base. Locks, held values and choices of states are taken from
/// `workspace`, one of base, which is left as it was.
Result<std::shared_ptr<const System>> sliding_system(std::shared_ptr<const System> base,
                                                     Workspace& workspace,
                                                     std::vector<Surface> surfaces,
                                                     const SlidingPoint& at,
                                                     const SlidingOptions& options = {});

/// Returns start values for the same motion from another point, and prepares `workspace`, one of
/// the sliding system, as if it had been made there. Returns nothing if the system has to be made
/// again: for another form than `eliminated`, another base or rule, states that are chosen along
/// the way, or no motion that stays on the surfaces there.
std::optional<StartValues> slide_again(const System& sliding, Workspace& workspace,
                                       const System& base, Workspace& base_workspace,
                                       const SlidingPoint& at, const SlidingOptions& options);

/// An ability: the additional services of a workspace of a sliding system.
class Sliding {
 public:
  virtual ~Sliding() = default;
  virtual std::uint32_t n_surfaces() const = 0;
  /// Returns the multipliers at a point of the sliding system.
  virtual std::span<const double> multipliers(std::span<const double> x,
                                              std::span<const double> xdot) = 0;
  /// Returns the workspace of base, with the locks last set.
  virtual Workspace& base() = 0;
  /// Returns the evaluations of one side at one point so far, including those that made the system.
  virtual std::uint64_t n_side_evaluations() const = 0;
  /// Chooses whether rates() and gradients() of the switching functions include those of exits,
  /// which is the default. Each takes evaluations of all sides. If not, they are zero.
  virtual void set_exit_slopes(bool wanted) = 0;
};

/// Moves the point onto the surfaces by as little as possible. Returns false if that does not
/// succeed.
bool project_on_surfaces(const System& base, Workspace& workspace,
                         std::span<const Surface> surfaces, double t, std::span<double> x,
                         std::span<const double> xdot);

/// Returns the form for an implicit engine at a point: `mixed` where it is Filippov's motion, else
/// `copies`.
SlidingForm form_for(const System& base, Workspace& workspace, std::span<const Surface> surfaces,
                     std::span<const SlidingPoint> vertex_points);

}  // namespace saltus
