// Computes derivatives of a run with respect to start values while the run proceeds.
//
// The variational equations carry S = dx/dp along each smooth piece of the solution, with their own
// steps and tolerances, so they change nothing in the run. A parameter is an unknown with
// der(p) = 0 here (model/parameters_as_states.hpp), so its column is that of a start value.
//
// If a search for consistent values determined the start values of unknowns with derivatives, S
// starts from central differences of that search, and the equations complete it.
//
// The time t* of an event of a relation g moves by
//
//   dt*/dp = -g_x S- / (dg/dt along the solution);                                          (Z.4)
//
// Y = S- + x'- dt*/dp is the change of the left limit. Actions map it to T_x Y + T_t dt*/dp, and at
// a fixed time after the event
//
//   S+ = Y - x'+ dt*/dp                                                                     (Z.5)
//
// for unknowns with derivatives; the others follow. This is the saltation matrix, also for entering
// and leaving motion on surfaces and from mode to mode.
//
// If a derivative does not exist (the solution touches a surface without crossing it, or crosses
// two surfaces together) or is not known, the derivatives end there, with the reason.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/hybrid/follower.hpp>
#include <saltus/trajectory/sensitivity.hpp>

namespace saltus {

struct SensitivityOptions {
  double rtol = 1e-6;
  double atol = 1e-6;  // in units of the nominal values of unknown and parameter
  /// Without it, S continues unchanged where equations change. That is wrong, and is the result of
  /// an integrator that ignores events. For comparison only.
  bool at_events = true;
};

class ForwardSensitivities final : public RunFollower {
 public:
  /// Takes names of unknowns of the initial system: derivatives are with respect to their start
  /// values.
  ForwardSensitivities(std::vector<std::string> parameters, SensitivityOptions options);
  ~ForwardSensitivities() override;

  void begins(const FollowedPoint& at, const FoundStart& start) override;
  void goes_on(const FollowedPoint& from, const std::string& segment) override;
  void piece(const System& system, Workspace& workspace, const StepPolynomial& piece) override;
  void catch_up() override;
  void hardly_misses(std::uint32_t which, double t) override;
  void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
             const std::function<bool(std::uint32_t which)>& matters) override;
  void acts(EventActions& actions, std::span<const FollowedAction> together, double t,
            std::span<const double> x, std::span<const double> xdot) override;
  void settles(const FollowedPoint& now) override;
  void keeps_to(const FollowedPoint& at, std::span<const KeptSurface> surfaces,
                bool by_itself) override;
  void stands_on(const FollowedPoint& at, std::uint32_t which,
                 const std::function<bool()>& matters) override;
  void changes_mode(const FollowedPoint& to, const MovedStart& moved) override;
  void breaks(double t, const std::string& why) override;

  /// Returns the derivatives; call it once.
  Sensitivities take();

 private:
  class Follower;
  std::unique_ptr<Follower> follower_;
};

}  // namespace saltus
