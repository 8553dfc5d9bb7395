// Whether a switching function comes so near to zero within a step that what a run's tolerance allows would make it
// meet its surface: beyond that value of a parameter the solution is another one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <saltus/hybrid/follower.hpp>

namespace saltus::detail {

struct NearMiss {
  double t = 0.0;
  std::string relation;
};

class NearMisses {
 public:
  /// A stretch begins. Functions that begin near their surfaces are watched once they have left them.
  void begin(const FollowedPoint& from, double rtol, double atol);
  /// Of a function that others found too close to call.
  std::optional<NearMiss> told(std::uint32_t which, double t) const;
  /// Along a piece of the solution.
  std::optional<NearMiss> along(const StepPolynomial& piece);

 private:
  struct Rates {
    std::vector<double> g, rate;
  };
  bool look(const StepPolynomial& piece, double t, Rates& at);
  /// How far functions may be off, at the point looked at last.
  bool find_bands(double t);
  double nearest(const StepPolynomial& piece, std::uint32_t which, double& t);

  SwitchingFunctions* functions_ = nullptr;
  std::vector<double> nominal_;
  double rtol_ = 0.0, atol_ = 0.0;
  std::vector<std::uint8_t> away_;  // per function: it has been away from its surface
  Rates left_, right_, between_;
  std::vector<double> x_, xdot_, gradient_, band_;
};

}  // namespace saltus::detail
