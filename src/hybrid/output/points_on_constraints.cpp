#include "hybrid/output/points_on_constraints.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/variable_map.hpp>

namespace saltus::detail {

namespace {

std::span<const double> discrete_of(Workspace& workspace) {
  auto* const held = workspace.ability<HeldValues>();
  return held != nullptr ? held->discrete() : std::span<const double>{};
}
std::span<const std::uint8_t> locks_of(Workspace& workspace) {
  const auto* const locks = workspace.ability<Locks>();
  return locks != nullptr ? locks->locks() : std::span<const std::uint8_t>{};
}

}  // namespace

void PointsOnConstraints::begin_stretch(std::shared_ptr<const System> system, Workspace& workspace,
                                        double t_end, std::span<const std::uint8_t> non_negative) {
  // On switching surfaces the meaning of the unknowns beside those of the model changes from step to step.
  keeps_ =
      workspace.ability<OutputProjection>() != nullptr && workspace.ability<Sliding>() == nullptr;
  if (!keeps_) return;
  HeldSnapshot held = held_values_of(workspace);
  Stretch stretch;
  if (!stretches_.empty() && *stretches_.back().parameters == held.parameters)
    stretch.parameters = stretches_.back().parameters;
  else
    stretch.parameters = std::make_shared<const std::vector<double>>(std::move(held.parameters));
  stretch.discrete = std::move(held.discrete);
  const auto locks = locks_of(workspace);
  stretch.locks.assign(locks.begin(), locks.end());
  stretch.non_negative.assign(non_negative.begin(), non_negative.end());
  stretch.system = std::move(system);
  stretch.t_end = t_end;
  stretches_.push_back(std::move(stretch));
}

void PointsOnConstraints::follow_held_values(Workspace& workspace) {
  const auto discrete = discrete_of(workspace);
  const auto locks = locks_of(workspace);
  const Stretch& last = stretches_.back();
  if (std::ranges::equal(last.discrete, discrete) && std::ranges::equal(last.locks, locks)) return;
  Stretch next = last;
  next.discrete.assign(discrete.begin(), discrete.end());
  next.locks.assign(locks.begin(), locks.end());
  stretches_.push_back(std::move(next));
}

void PointsOnConstraints::add_step(const StepPolynomial& step, Workspace& workspace,
                                   std::uint32_t first, std::uint32_t end) {
  if (!keeps_) return;
  follow_held_values(workspace);
  const std::size_t coefficients = numbers_.size();
  numbers_.insert(numbers_.end(), step.coefficients.begin(), step.coefficients.end());
  const std::size_t search_start = numbers_.size();
  const auto from = workspace.ability<OutputProjection>()->search_start();
  numbers_.insert(numbers_.end(), from.begin(), from.end());
  steps_.push_back({first, end, static_cast<std::uint32_t>(stretches_.size() - 1), step.n,
                    step.degree, step.t_left, step.t_right, coefficients, search_start});
}

void PointsOnConstraints::cut_back_to(std::uint32_t n_steps) {
  while (!steps_.empty() && steps_.back().end > n_steps) {
    if (steps_.back().first < n_steps) {
      steps_.back().end = n_steps;
      break;
    }
    numbers_.resize(steps_.back().coefficients);
    steps_.pop_back();
  }
  scene_.step = 0;
  found_.reset();
}

const PointsOnConstraints::Step* PointsOnConstraints::step_of(std::uint32_t k) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), k,
                                      [](std::uint32_t at, const Step& s) { return at < s.first; });
  if (after == steps_.begin() || std::prev(after)->end <= k) return nullptr;
  return &*std::prev(after);
}

StepPolynomial PointsOnConstraints::polynomial(const Step& step) const {
  return {step.t_left, step.t_right, step.degree, step.n,
          std::span(numbers_).subspan(step.coefficients, step.search_start - step.coefficients)};
}

std::size_t PointsOnConstraints::end_of_numbers(const Step& step) const {
  return &step == &steps_.back() ? numbers_.size() : (&step + 1)->coefficients;
}

/// Makes the workspace what it was in the step.
bool PointsOnConstraints::set_scene(const Step& step) const {
  const Stretch& stretch = stretches_[step.stretch];
  if (scene_.system != stretch.system.get()) {
    scene_ = {};
    scene_.workspace = stretch.system->workspace();
    scene_.projection = scene_.workspace->ability<OutputProjection>();
    scene_.system = stretch.system.get();
  }
  if (scene_.stretch != step.stretch + std::size_t{1}) {
    scene_.step = 0;
    set_held_values(*scene_.workspace, {*stretch.parameters, stretch.discrete});
    set_locks(*scene_.workspace, stretch.locks);
    scene_.stretch = step.stretch + std::size_t{1};
  }
  const auto number = static_cast<std::size_t>(&step - steps_.data()) + 1;
  if (scene_.step == number) return true;
  if (auto* scheduled = scene_.workspace->ability<ScheduledTimes>())
    scheduled->enter_stretch(step.t_left, scheduled->next(step.t_left, stretch.t_end));
  std::vector<double> x(step.n), xdot(step.n);
  const StepPolynomial along = polynomial(step);
  along.state_at(step.t_right, x);
  along.derivative_at(step.t_right, xdot);
  const auto from =
      std::span(numbers_).subspan(step.search_start, end_of_numbers(step) - step.search_start);
  if (!scene_.projection->begin_step(step.t_right, x, xdot, from)) return false;
  scene_.step = number;
  return true;
}

/// values_: variables that the model computes and that cannot be evaluated there are left to the trajectory.
void PointsOnConstraints::find(const Step& step, double t) const {
  values_.assign(recorded_.size(), std::nullopt);
  std::vector<double> x(step.n), xdot(step.n);
  const StepPolynomial along = polynomial(step);
  along.state_at(t, x);
  along.derivative_at(t, xdot);
  const std::vector<std::uint8_t>& non_negative = stretches_[step.stretch].non_negative;
  for (std::size_t i = 0; i < non_negative.size(); ++i)
    if (non_negative[i] != 0) x[i] = std::max(x[i], 0.0);
  double moved = 0.0;
  if (!set_scene(step) || !scene_.projection->project(t, x, xdot, moved)) {
    scene_ = {};
    throw Error(
        "at t = " + to_text(t) +
        ": the solution cannot be moved onto the constraints of the model; ask at another time");
  }
  const VariableMap& map = scene_.system->variable_map();
  std::vector<double> all(map.variables().size());
  const bool evaluated = static_cast<bool>(map.values(*scene_.workspace, t, x, xdot, all));
  for (std::size_t r = 0; r < recorded_.size(); ++r) {
    const std::uint32_t v = recorded_[r];
    if (v >= all.size() || !map.present(v)) continue;  // functions of relations; other modes
    if (const auto unknown = map.unknown(v)) {
      values_[r] = x[*unknown];
    } else if (evaluated) {
      values_[r] = all[v];
    }
  }
}

std::optional<double> PointsOnConstraints::at(std::uint32_t k, double t,
                                              std::uint32_t variable) const {
  const std::lock_guard lock(guard_);
  if (!found_ || found_->k != k || found_->t != t) {
    const Step* step = step_of(k);
    if (step == nullptr) return std::nullopt;
    found_.reset();
    find(*step, t);
    found_ = {k, t};
  }
  return values_[variable];
}

std::size_t PointsOnConstraints::memory() const {
  const std::lock_guard lock(guard_);
  std::size_t bytes = sizeof(*this) + recorded_.capacity() * sizeof(std::uint32_t) +
                      stretches_.capacity() * sizeof(Stretch) + steps_.capacity() * sizeof(Step) +
                      numbers_.capacity() * sizeof(double);
  const std::vector<double>* counted = nullptr;
  for (const Stretch& stretch : stretches_) {
    bytes += stretch.discrete.capacity() * sizeof(double) + stretch.locks.capacity() +
             stretch.non_negative.capacity();
    if (stretch.parameters.get() != counted) {
      counted = stretch.parameters.get();
      bytes += counted->capacity() * sizeof(double);
    }
  }
  return bytes;
}

}  // namespace saltus::detail
