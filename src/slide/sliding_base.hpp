// What all forms of a sliding system keep of the system below.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/slide/surface.hpp>
#include <saltus/system/monitoring.hpp>
#include <saltus/system/started_system.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

struct SlidingBase {
  std::shared_ptr<const System> system;
  std::vector<Surface> surfaces;
  /// Where sliding begins, and as what the base was running there.
  double t = 0.0;
  std::vector<double> x, xdot;
  std::vector<std::uint8_t> locks;
  HeldSnapshot held;

  /// A workspace as the one that was running.
  std::unique_ptr<Workspace> workspace() const;
  /// The text of the first relation of a surface.
  std::string surface_name(std::uint32_t k, const SwitchingFunctions& functions) const {
    return functions.info(surfaces[k].switches.front()).name;
  }
};

/// The determinant of the base as it is told to be.
class SlidingRegularity final : public Regularity {
 public:
  SlidingRegularity(std::size_t n_base, Regularity& base) : n_(n_base), base_(base) {}
  bool is_signed() const override { return base_.is_signed(); }
  Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                         SignedLogarithm& value) override {
    return base_.determinant(t, x.first(n_), xdot.first(n_), value);
  }
  bool confirm(double t, std::span<const double> x, std::span<const double> xdot) override {
    return base_.confirm(t, x.first(n_), xdot.first(n_));
  }
  std::string describe_loss(double t, std::span<const double> x,
                            std::span<const double> xdot) override {
    return base_.describe_loss(t, x.first(n_), xdot.first(n_));
  }

 private:
  std::size_t n_;
  Regularity& base_;
};

/// Abilities of the base that mean the same in a sliding system.
struct HandedThrough {
  HandedThrough(std::size_t n_base, Workspace& base);
  HeldValues* held;
  ScheduledTimes* scheduled;
  RedundancyWatch* redundancy;
  std::optional<SlidingRegularity> regularity;
};

}  // namespace saltus::detail
