// Derivatives of a run with respect to start values, while it goes on.
//
// S = dx/dp is carried along each piece of the solution by the variational equations, with steps and tolerances of
// its own: following changes nothing in the run. A parameter is an unknown with der(p) = 0 here
// (model/parameters_as_states.hpp), so that its column is that of a start value.
//
// Where a search for consistent values decided where unknowns with derivatives start, S begins with central differences
// of that search, and the equations complete it.
//
// At an event of a relation g the time t* moves, by
//
//   dt*/dp = -g_x S- / (dg/dt along the solution);                                                  (Z.4)
//
// Y = S- + x'- dt*/dp is how the left limit moves, actions map it to T_x Y + T_t dt*/dp, and at a fixed time after the
// event
//
//   S+ = Y - x'+ dt*/dp                                                                             (Z.5)
//
// for unknowns with derivatives; the others follow. That is the saltation matrix, also into and out of motion on
// surfaces and from mode to mode.
//
// Where a derivative does not exist (a surface is touched, not crossed; two surfaces are crossed together) or is not
// known, it ends there by name.
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
  /// Without, S goes on as it is where equations change: wrong, and what an integrator gives that does not know
  /// of events. For comparison only.
  bool at_events = true;
};

class ForwardSensitivities final : public RunFollower {
 public:
  /// Names of unknowns of the system that the run begins with: derivatives with respect to their start values.
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

  /// What was found; once.
  Sensitivities take();

 private:
  class Follower;
  std::unique_ptr<Follower> follower_;
};

}  // namespace saltus
