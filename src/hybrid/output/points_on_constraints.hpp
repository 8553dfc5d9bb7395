// Points of a solution on the constraints of its model, found when they are asked for.
//
// Polynomials of steps keep constraints only as well as they interpolate. Moving every step onto them would cost as much
// as the steps themselves, so a run keeps what is needed to do it later: the polynomial of all unknowns, the system of
// the stretch with its locks and held values, and from where to search.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <saltus/system/abilities.hpp>
#include <saltus/system/started_system.hpp>
#include <saltus/system/step_polynomial.hpp>
#include <saltus/system/system.hpp>
#include <saltus/trajectory/trajectory.hpp>

namespace saltus::detail {

class PointsOnConstraints final : public ExactPoints {
 public:
  /// Numbers, in the model, of the variables that are recorded.
  explicit PointsOnConstraints(std::vector<std::uint32_t> recorded)
      : recorded_(std::move(recorded)) {}

  /// The steps that follow are those of this system. Of a system without constraints nothing is kept. Unknowns flagged
  /// `non_negative` are read as zero where a polynomial is below.
  void begin_stretch(std::shared_ptr<const System> system, Workspace& workspace, double t_end,
                     std::span<const std::uint8_t> non_negative);
  /// A step of all unknowns, which steps of the trajectory from number `first` to before `end` stand for. The workspace has the
  /// locks and held values of the step: an event that changes them need not begin a stretch.
  void add_step(const StepPolynomial& step, Workspace& workspace, std::uint32_t first,
                std::uint32_t end);
  /// The trajectory has no more than this many steps now.
  void cut_back_to(std::uint32_t n_steps);

  std::optional<double> at(std::uint32_t k, double t, std::uint32_t variable) const override;
  std::size_t memory() const override;

 private:
  struct Stretch {
    std::shared_ptr<const System> system;
    std::shared_ptr<const std::vector<double>> parameters;  // mostly those of the stretch before
    std::vector<double> discrete;
    std::vector<std::uint8_t> locks;
    std::vector<std::uint8_t> non_negative;
    double t_end = 0.0;  // of the run
  };
  struct Step {
    std::uint32_t first, end;  // steps of the trajectory
    std::uint32_t stretch;
    std::uint32_t n;
    int degree;
    double t_left, t_right;
    std::size_t coefficients, search_start;  // where they begin in numbers_
  };
  /// A workspace as it was in a step.
  struct Scene {
    std::unique_ptr<Workspace> workspace;
    OutputProjection* projection = nullptr;
    const System* system = nullptr;
    std::size_t stretch = 0, step = 0;  // each plus 1; 0: none
  };
  /// The last stretch, or a new one that is like it but for locks and discrete variables.
  void follow_held_values(Workspace& workspace);
  const Step* step_of(std::uint32_t k) const;
  StepPolynomial polynomial(const Step& step) const;
  std::size_t end_of_numbers(const Step& step) const;
  bool set_scene(const Step& step) const;
  void find(const Step& step, double t) const;

  std::vector<std::uint32_t> recorded_;
  std::vector<Stretch> stretches_;
  bool keeps_ = false;  // the present stretch
  std::vector<Step> steps_;
  std::vector<double> numbers_;

  mutable std::mutex guard_;
  mutable Scene scene_;
  /// The last point that was found.
  struct Found {
    std::uint32_t k;
    double t;
  };
  mutable std::optional<Found> found_;
  mutable std::vector<std::optional<double>> values_;  // of the recorded variables
};

}  // namespace saltus::detail
