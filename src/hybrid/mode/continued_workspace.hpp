// Equations that end at a surface, continued beyond it for those who only pass by.
//
// A side of a relation may not exist beyond its surface: a root of what has become negative, a function that
// throws, or, in systems that look for their side by themselves, the other side. The solution never is there,
// but inner points of a step are: a stage, a predicted point, an iterate. Such a point x with
// s g(x) < 0, where s = 1 or -1 is the side, is given the value
//
//   F(x) = 2 F(p) - F(2p - x),                                                                        (C.1)
//
// with p next to x on the surface, as far on its own side as rounding asks for. It meets the side with its
// slope across the surface, and is exact for what is linear there; what is left out is of second order in
// the distance. With F(p) alone it would be of first order: after a tangential exit, where stages of a step of
// length h lie h^2 beyond, errors of a step would be of third order, and constraints would lose their slope.
//
// Where a side can be evaluated beyond its surface it is, and this does nothing. Steps that end beyond a surface
// contain an event, which is located as usual: what the run records lies on its own side.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/abilities.hpp>
#include <saltus/system/handing.hpp>
#include <saltus/system/system.hpp>

#include "hybrid/switch/switch_board.hpp"

namespace saltus::detail {

/// For engines only: runs ask the system itself for everything else.
struct ContinuedHanding {
  using HandsOn = AbilityList<StepProjection, StepRefresh, OutputProjection, ChosenStates,
                              DerivativeUnknowns, DerivativeLevels<double>, DerivativeLevels<Quad>>;
  using Transforms = AbilityList<ExplicitForm>;
  using Adds = AbilityList<>;
  using EndsHere =
      AbilityList<ScheduledTimes, HeldValues, IncidenceOrders, ParameterDerivatives,
                  InputDerivatives, OutputDerivatives, OutputDirections, DriftCorrection,
                  InitialEquations, RedundancyWatch, Regularity, SwitchingFunctions, Locks,
                  StepEnclosure, EventActions, SwitchingTangents>;
};
static_assert(decides_every_ability<ContinuedHanding>);

/// A workspace of the same system, for engines.
class ContinuedWorkspace final : public Workspace, private ExplicitForm {
 public:
  /// The relations are on the sides that the board says. Everything outlives this. `refused`: points beyond
  /// the end of a side are out of its domain, also in systems that would go on with the other side.
  ContinuedWorkspace(const System& system, Workspace& base, const SwitchBoard& board,
                     BeyondPolicy policy = BeyondPolicy::continued);

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;
  std::string last_error() const override { return base_.last_error(); }

  /// A stretch begins; its first step may be so long.
  void begin(double t, std::span<const double> x, std::span<const double> xdot, double step);

  /// `evaluate` at the nearest point that is on the sides where the run is; false if x is there already, or nothing
  /// helps. A located event may lie beyond its surface by rounding.
  bool on_own_side(double t, std::span<const double> x, std::span<const double> xdot,
                   const std::function<Evaluation(std::span<const double>)>& evaluate);

  /// Points beyond a surface that got a value all the same.
  std::uint64_t n_continued() const { return n_.continued; }
  /// What this cost: evaluations of the equations beyond one per point.
  std::uint64_t n_extra_evaluations() const { return n_.extra; }
  void forget_counts() { n_ = {}; }

 private:
  Evaluation derivative(double t, std::span<const double> x, std::span<double> xdot) override;

  /// `call(point, out)` evaluates the base.
  template <class Call>
  Evaluation continued(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<double> out, const Call& call);
  bool counts(std::uint32_t which) const;
  /// How far g is on its own side.
  double inside(std::uint32_t which) const;
  bool is_own(std::uint32_t which) const;
  Evaluation look(double t, std::span<const double> x, std::span<const double> xdot);
  bool is_beyond() const;
  bool must_stay(double t) const;
  /// Moves own_ to where every relation is `distance` of the size of its terms on its side, or further.
  bool place(double t, std::span<const double> x, std::span<const double> xdot, double distance);
  bool begins_on_surface(double t, std::span<const double> x, std::span<const double> xdot);
  Evaluation jacobian_nearby(double t, std::span<const double> x, std::span<const double> xdot,
                             std::span<double> df_dx, std::span<double> df_dxdot);
  void use_tamer(std::span<double> df_dx, std::span<double> df_dxdot);

  enum class Move : std::uint8_t { none, done, impossible };
  Move move_inwards(std::uint32_t which, double distance);

  Workspace& base_;
  const CscPattern& pattern_;
  const SwitchBoard& board_;
  BeyondPolicy policy_;
  SwitchingFunctions& functions_;
  ExplicitForm* explicit_form_;
  std::vector<double> nominal_;
  std::vector<double> g_, gradients_, own_, last_motion_;
  struct Mirrored {  // 2p - x, and F there
    std::vector<double> x, f;
  };
  Mirrored mirrored_;
  struct Beginning {  // of the stretch
    double t = 0.0, step = 0.0;
    std::vector<double> x, rates;
  };
  Beginning begin_;
  struct Ahead {  // entries a little ahead, and sizes of rows there and here
    std::vector<double> df_dx, df_dxdot, rows_here, rows_ahead;
  };
  Ahead ahead_;
  struct Counts {
    std::uint64_t continued = 0, extra = 0;
  };
  Counts n_;
};

}  // namespace saltus::detail
