#include <saltus/sensitivity/forward.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sensitivity/column_recorder.hpp"
#include "sensitivity/instant.hpp"
#include "sensitivity/near_misses.hpp"
#include "sensitivity/start_columns.hpp"
#include "sensitivity/variational_step.hpp"

namespace saltus {

/// Carries S along the pieces of a solution; what happens at its instants is told to Instant.
class ForwardSensitivities::Follower {
 public:
  Follower(std::vector<std::string> parameters, SensitivityOptions options)
      : columns_{std::move(parameters), options}, instant_(columns_) {}

  void begins(const FollowedPoint& at, const FoundStart& start);
  void goes_on(const FollowedPoint& from, const std::string& segment);
  void follow(const System& system, Workspace& workspace, const StepPolynomial& piece);
  void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
             const std::function<bool(std::uint32_t which)>& matters);
  void acts(EventActions& actions, std::span<const FollowedAction> together, double t,
            std::span<const double> x, std::span<const double> xdot) {
    if (!columns_.ends) instant_.acts(actions, together, t, x, xdot);
  }
  void settles(const FollowedPoint& now) {
    if (!columns_.ends) instant_.settles(now);
  }
  void keeps_to(const FollowedPoint& at, std::span<const KeptSurface> surfaces, bool by_itself) {
    if (!columns_.ends) instant_.keeps_to(at, surfaces, by_itself);
  }
  void stands_on(const FollowedPoint& at, std::uint32_t which,
                 const std::function<bool()>& matters) {
    if (!columns_.ends) instant_.stands_on(at, which, matters);
  }
  void changes_mode(const FollowedPoint& to, const MovedStart& moved) {
    if (!columns_.ends) instant_.changes_mode(to, moved);
  }
  void catch_up() { carry_along(true); }
  void breaks(double t, const std::string& why) {
    catch_up();
    columns_.end(t, why);
  }
  void hardly_misses(std::uint32_t which, double t) {
    if (!columns_.options.at_events || columns_.ends) return;
    if (const auto miss = near_misses_.told(which, t)) end_by(*miss);
  }
  Sensitivities take() {
    return {columns_.parameters,
            recorder_.take(),
            instant_.take_event_times(),
            std::move(columns_.ends),
            work_,
            recorder_.take_coarsest(),
            recorder_.take_rates()};
  }

 private:
  void end_by(const detail::NearMiss& miss) {
    breaks(miss.t,
           "'" + miss.relation +
               "' is touched, or missed by less than the tolerance allows: with slightly different "
               "values it is crossed or not, and there is no derivative from here on. Ask "
               "for earlier times or choose values farther from touching; a smaller rtol helps "
               "only if it is missed");
  }
  void carry_along(bool to_the_end);
  double error_norm(const System& system) const;

  detail::Columns columns_;
  detail::Instant instant_;
  detail::ColumnRecorder recorder_;
  detail::NearMisses near_misses_;
  std::unique_ptr<detail::VariationalStep> step_;
  double step_size_ = 0.0;
  double t_ = 0.0;             // S is known up to here,
  detail::FollowedPath path_;  // and the solution is known from here on
  const System* followed_ = nullptr;
  Workspace* field_ = nullptr;  // of its equations
  bool starts_known_ = false;   // S of all unknowns, where the next step begins
  double last_length_ = 0.0;    // of a piece
  SensitivityWork work_;
};

void ForwardSensitivities::Follower::begins(const FollowedPoint& at, const FoundStart& start) {
  const bool all_known = detail::begin_columns(columns_, at, start);
  recorder_.begin(at.system.variable_map(), columns_.parameters);
  instant_.begins(at, all_known);
}

void ForwardSensitivities::Follower::goes_on(const FollowedPoint& from,
                                             const std::string& segment) {
  catch_up();
  if (columns_.ends) return;
  starts_known_ = instant_.leave(from);
  if (columns_.ends) return;
  step_ = std::make_unique<detail::VariationalStep>(
      from.system, static_cast<std::uint32_t>(columns_.p()), work_);
  step_size_ = last_length_ = 0.0;
  if (columns_.options.at_events)
    near_misses_.begin(from, columns_.options.rtol, columns_.options.atol);
  recorder_.begin_segment(from, segment, columns_);
}

void ForwardSensitivities::Follower::meets(
    const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
    const std::function<bool(std::uint32_t which)>& matters) {
  catch_up();
  if (columns_.ends) return;
  instant_.meets(left, crossings, matters);
  if (!columns_.ends && instant_.moves()) recorder_.note_rates(left, instant_.motion());
}

/// In tolerances; the largest over parameters of the root mean square over unknowns.
double ForwardSensitivities::Follower::error_norm(const System& system) const {
  double worst = 0.0;
  const auto carries = system.carries_derivative();
  for (std::size_t k = 0; k < columns_.p(); ++k) {
    double sum = 0.0;
    std::size_t n = 0;
    for (std::size_t i = 0; i < columns_.names.size(); ++i) {
      if (!carries[i]) continue;
      const std::size_t e = i * columns_.p() + k;
      const double size = std::max(std::abs(columns_.s[e]), std::abs(step_->end()[e]));
      const double tolerance = columns_.options.rtol * size +
                               columns_.options.atol * columns_.nominal[i] / columns_.scale[k];
      sum += std::pow(step_->error()[e] / tolerance, 2);
      ++n;
    }
    if (n > 0) worst = std::max(worst, std::sqrt(sum / static_cast<double>(n)));
  }
  return worst;
}

void ForwardSensitivities::Follower::follow(const System& system, Workspace& workspace,
                                            const StepPolynomial& piece) {
  if (columns_.ends) return;
  if (columns_.options.at_events) {
    if (const auto miss = near_misses_.along(piece)) return end_by(*miss);
  }
  const double length = std::abs(piece.t_right - piece.t_left);
  instant_.comes_from(piece, std::max(length, last_length_));
  last_length_ = length;
  if (path_.empty()) t_ = piece.t_left;
  path_.add(piece);
  followed_ = &system;
  field_ = &workspace;
  constexpr std::size_t at_most = 64;  // pieces kept
  carry_along(path_.n_pieces() == at_most);
}

/// Steps of S as long as the path, or, to its end, the rest as well.
void ForwardSensitivities::Follower::carry_along(bool to_the_end) {
  constexpr double order = 4.0;  // of the estimate
  while (!columns_.ends && !path_.empty()) {
    const double whole = path_.t_end() - t_, left = std::abs(whole);
    if (step_size_ == 0) step_size_ = left;
    if (!to_the_end && step_size_ > left) return;
    // No sliver at the end.
    const bool reaches_end = step_size_ > 0.9 * left;
    const double t_to = reaches_end ? path_.t_end() : t_ + std::copysign(step_size_, whole);
    if (auto done = step_->take(*field_, path_, t_, t_to, columns_.s); !done)
      return columns_.end(t_, done.failure().message);
    const double error = error_norm(*followed_);
    const double factor = 0.9 * std::pow(std::max(error, 1e-10), -1.0 / order);
    const double taken = std::abs(t_to - t_);
    ++(error > 1 ? work_.n_rejected_steps : work_.n_steps);
    if (error > 1) {
      step_size_ = taken * std::clamp(factor, 0.1, 0.8);
      if (step_size_ < 16 * std::numeric_limits<double>::epsilon() * std::abs(t_))
        return columns_.end(t_, "the steps of the variational equations become too small");
      continue;
    }
    recorder_.add_step(path_, *step_, t_, t_to, columns_, starts_known_);
    starts_known_ = true;
    columns_.s.assign(step_->end().begin(), step_->end().end());
    // What was cut short at the end of the path says little about the next one.
    step_size_ = std::max(taken * std::clamp(factor, 0.2, 5.0), reaches_end ? step_size_ : 0.0);
    t_ = t_to;
    path_.forget_before(t_);
  }
}

ForwardSensitivities::ForwardSensitivities(std::vector<std::string> parameters,
                                           SensitivityOptions options)
    : follower_(std::make_unique<Follower>(std::move(parameters), options)) {}
ForwardSensitivities::~ForwardSensitivities() = default;
void ForwardSensitivities::begins(const FollowedPoint& at, const FoundStart& start) {
  follower_->begins(at, start);
}
void ForwardSensitivities::goes_on(const FollowedPoint& from, const std::string& segment) {
  follower_->goes_on(from, segment);
}
void ForwardSensitivities::piece(const System& system, Workspace& workspace,
                                 const StepPolynomial& piece) {
  follower_->follow(system, workspace, piece);
}
void ForwardSensitivities::hardly_misses(std::uint32_t which, double t) {
  follower_->hardly_misses(which, t);
}
void ForwardSensitivities::meets(const FollowedPoint& left,
                                 std::span<const FollowedCrossing> crossings,
                                 const std::function<bool(std::uint32_t which)>& matters) {
  follower_->meets(left, crossings, matters);
}
void ForwardSensitivities::acts(EventActions& actions, std::span<const FollowedAction> together,
                                double t, std::span<const double> x, std::span<const double> xdot) {
  follower_->acts(actions, together, t, x, xdot);
}
void ForwardSensitivities::settles(const FollowedPoint& now) { follower_->settles(now); }
void ForwardSensitivities::keeps_to(const FollowedPoint& at, std::span<const KeptSurface> surfaces,
                                    bool by_itself) {
  follower_->keeps_to(at, surfaces, by_itself);
}
void ForwardSensitivities::stands_on(const FollowedPoint& at, std::uint32_t which,
                                     const std::function<bool()>& matters) {
  follower_->stands_on(at, which, matters);
}
void ForwardSensitivities::changes_mode(const FollowedPoint& to, const MovedStart& moved) {
  follower_->changes_mode(to, moved);
}
void ForwardSensitivities::catch_up() { follower_->catch_up(); }
void ForwardSensitivities::breaks(double t, const std::string& why) { follower_->breaks(t, why); }
Sensitivities ForwardSensitivities::take() { return follower_->take(); }

}  // namespace saltus
