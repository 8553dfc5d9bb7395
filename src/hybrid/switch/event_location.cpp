#include "hybrid/switch/event_location.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/slide/sliding_system.hpp>

namespace saltus::detail {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Times closer than this are one.
double few_ulp(double t) {
  return 16 * eps * std::max(std::abs(t), std::numeric_limits<double>::min());
}

/// Further inside than this an exit is not near, whatever the tolerances.
constexpr double near_exit = 0.25;

class WithoutExitSlopes {
 public:
  explicit WithoutExitSlopes(Sliding* sliding) : sliding_(sliding) { tell(false); }
  ~WithoutExitSlopes() { tell(true); }
  WithoutExitSlopes(const WithoutExitSlopes&) = delete;
  WithoutExitSlopes& operator=(const WithoutExitSlopes&) = delete;

 private:
  void tell(bool wanted) {
    if (sliding_ != nullptr) sliding_->set_exit_slopes(wanted);
  }
  Sliding* sliding_;
};

}  // namespace

bool EventLocator::is_solved_for(std::uint32_t which) {
  if (!is_solved_for_.empty()) return is_solved_for_[which] != 0;
  const auto has_derivative = system_.carries_derivative();
  is_solved_for_.assign(board_.count(), 0);
  std::vector<std::uint8_t> reads(board_.count(), 0);
  const CscPattern& pattern = board_.functions().gradient_pattern();
  for (std::size_t j = 0; j < has_derivative.size(); ++j) {
    for (auto k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto w = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)]);
      reads[w] = 1;
      if (has_derivative[j] == 0) is_solved_for_[w] = 1;
    }
  }
  // What reads no unknown reads derivatives.
  for (std::size_t w = 0; w < reads.size(); ++w) {
    if (reads[w] == 0) is_solved_for_[w] = 1;
  }
  return is_solved_for_[which] != 0;
}

void EventLocator::set_left(double t, std::span<const double> x, std::span<const double> xdot) {
  t_left_ = t;
  x_left_.assign(x.begin(), x.end());
  xdot_left_.assign(xdot.begin(), xdot.end());
  has_exit_rates_ = false;
  distances_of_.is_known = false;
}

void EventLocator::add_gradients(std::span<const double> x, std::span<double> rounding,
                                 std::span<double> band) const {
  const CscPattern& pattern = board_.functions().gradient_pattern();
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double tolerance = tolerances_.rtol * std::abs(x[j]) + tolerances_.atol[j];
    for (auto k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto row = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)]);
      const double slope = std::abs(gradient_[static_cast<std::size_t>(k)]);
      rounding[row] += 4 * eps * slope * std::abs(x[j]);
      band[row] += slope * tolerance;
    }
  }
}

void EventLocator::find_exit_bands(double t, std::span<const double> x,
                                   std::span<const double> xdot) {
  const std::uint32_t n = board_.count();
  gradient_.resize(static_cast<std::size_t>(board_.functions().gradient_pattern().nnz()));
  exit_band_.assign(n, 0.0);
  exit_rounding_.assign(n, 0.0);
  if (board_.functions().gradients(t, x, xdot, gradient_)) {
    add_gradients(x, exit_rounding_, exit_band_);
  }
  has_exit_bands_ = true;
  t_of_bands_ = t;
  distances_of_.is_known = false;
}

void EventLocator::look_at_exits(const StepPolynomial& step) {
  if (board_.sliding() == nullptr || board_.enclosure() == nullptr) return;
  hull_.resize(board_.count());
  board_.enclosure()->hulls(step, Interval(0.0, 1.0), hull_);
  bool is_near = false;
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (!is_exit(w)) continue;
    is_near = is_near || !(hull_[w].lo() > (has_exit_bands_ ? 4 * exit_band_[w] : near_exit));
  }
  if (!is_near || (has_exit_bands_ && t_of_bands_ == t_left_)) return;
  find_exit_bands(t_left_, x_left_, xdot_left_);
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (is_exit(w)) board_.set_uncertainty(w, exit_band_[w]);
  }
}

/// Slopes of exits only where one is near.
void EventLocator::add_exits(double t, std::span<const double> x, std::span<const double> xdot) {
  bool is_near = false;
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    is_near = is_near || (is_exit(w) && !(g_[w] > near_exit));
  }
  if (is_near && !has_exit_bands_) find_exit_bands(t, x, xdot);
  if (is_near && !has_exit_rates_) {
    exit_rate_.assign(board_.count(), 0.0);
    base_g_.resize(board_.count());
    has_exit_rates_ = static_cast<bool>(board_.functions().rates(t, x, xdot, base_g_, exit_rate_));
  }
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (!is_exit(w)) continue;
    rate_[w] = has_exit_rates_ ? exit_rate_[w] : 0.0;
    rounding_[w] += eps * std::abs(rate_[w] * t);
    if (has_exit_bands_) rounding_[w] += exit_rounding_[w];
    band_[w] = has_exit_bands_ ? exit_band_[w] : near_exit;
  }
}

/// Into g_ and rate_; of exits the rates that are known.
bool EventLocator::find_rates(double t, std::span<const double> x, std::span<const double> xdot) {
  const WithoutExitSlopes none(has_exit_rates_ ? board_.sliding() : nullptr);
  distances_of_.is_known = false;
  if (!board_.functions().rates(t, x, xdot, g_, rate_)) return false;
  for (std::uint32_t w = 0; w < board_.count() && has_exit_rates_; ++w) {
    if (is_exit(w)) rate_[w] = exit_rate_[w];
  }
  return true;
}

bool EventLocator::are_distances_of(double t, std::span<const double> x,
                                    std::span<const double> xdot) {
  auto& of = distances_of_;
  const bool same = board_.are_unchanged(of.circumstances) && of.is_known && of.t == t &&
                    std::ranges::equal(of.x, x) && std::ranges::equal(of.xdot, xdot);
  if (same) return true;
  of.t = t;
  of.x.assign(x.begin(), x.end());
  of.xdot.assign(xdot.begin(), xdot.end());
  return false;
}

/// How far from its surface an event is placed, in parts of what the tolerances allow.
double EventLocator::part_of_band(std::uint32_t which) {
  const SwitchInfo& info = board_.info(which);
  // A multiplier that has left its range has to be out of it also a little beside its surface.
  if (info.kind == SwitchKind::exit) return 5e-2;
  // Before the surface, where an action sets unknowns: the smallest excursion that is told from none. In modes that transitions
  // lead out of: above the noise that searches for consistent values in other modes leave.
  if (info.sets_unknowns || changes_modes()) return 1e-3;
  // Each event adds its distance to the error of the run.
  return 1e-5;
}

bool EventLocator::changes_modes() {
  if (!changes_modes_) {
    const EventActions* actions = board_.actions();
    changes_modes_ = false;
    for (std::uint32_t a = 0; actions != nullptr && a < actions->count(); ++a)
      changes_modes_ = *changes_modes_ || actions->info(a).kind == ActionKind::transition;
  }
  return *changes_modes_;
}

/// (V.2) for all functions at a point, from gradients and, where there are any, enclosures of the point.
void EventLocator::find_distances(double t, std::span<const double> x,
                                  std::span<const double> xdot) {
  if (are_distances_of(t, x, xdot)) return;
  SwitchingFunctions& functions = board_.functions();
  const std::uint32_t n = functions.count();
  g_.resize(n);
  rate_.resize(n);
  gradient_.resize(static_cast<std::size_t>(functions.gradient_pattern().nnz()));
  rounding_.assign(n, 0.0);
  band_.assign(n, 0.0);
  distance_.assign(n, 0.0);
  {
    const WithoutExitSlopes none(board_.sliding());
    if (functions.rates(t, x, xdot, g_, rate_)) {
      for (std::uint32_t w = 0; w < n; ++w) {
        rounding_[w] = eps * (std::abs(g_[w]) + std::abs(rate_[w] * t));
      }
    }
    if (functions.gradients(t, x, xdot, gradient_)) add_gradients(x, rounding_, band_);
  }
  if (board_.sliding() != nullptr) add_exits(t, x, xdot);
  if (StepEnclosure* enclosure = board_.enclosure()) {
    hull_.assign(n, Interval(0.0));
    const StepPolynomial at_point{t, t, 0, static_cast<std::uint32_t>(x.size()), x};
    enclosure->hulls(at_point, Interval(0.0), hull_);
    for (std::uint32_t w = 0; w < n; ++w) {
      const double width = hull_[w].width();
      if (std::isfinite(width)) rounding_[w] = std::max(rounding_[w], width);
    }
  }
  for (std::uint32_t w = 0; w < n; ++w) {
    rounding_[w] *= 8;
    distance_[w] = std::max(part_of_band(w) * band_[w], rounding_[w]);
  }
  distances_of_.is_known = true;
}

double EventLocator::band_at(double t, std::span<const double> x, std::span<const double> xdot,
                             std::uint32_t which) {
  if (is_exit(which))
    return has_exit_bands_ ? exit_band_[which] : uncertainty_at(t, x, xdot, which);
  const WithoutExitSlopes none(board_.sliding());
  const CscPattern& pattern = board_.functions().gradient_pattern();
  gradient_.resize(static_cast<std::size_t>(pattern.nnz()));
  if (!board_.functions().gradients(t, x, xdot, gradient_)) return 0.0;
  double band = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double tolerance = tolerances_.rtol * std::abs(x[j]) + tolerances_.atol[j];
    for (auto k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto slot = static_cast<std::size_t>(k);
      if (static_cast<std::uint32_t>(pattern.row[slot]) != which) continue;
      band += std::abs(gradient_[slot]) * tolerance;
    }
  }
  return band;
}

void EventLocator::begin_stretch(double t, std::span<const double> x, std::span<const double> xdot,
                                 double step) {
  has_exit_bands_ = has_exit_rates_ = false;
  distances_of_.is_known = false;
  board_.forget_what_leaves();
  find_distances(t, x, xdot);
  board_.set_uncertainty(band_);
  begins_near_.clear();
  if (options_.offset) excuse_what_begins_near(t, step);
}

/// Functions that are on their surface, and so slow that the next steps may see them there.
void EventLocator::excuse_what_begins_near(double t, double step) {
  const WatchList watch = board_.watch(t);
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    // What an action brings to its surface, or a mode begins with there, is on it as far as the error of the run tells.
    const bool comes_here = t != arrived_at_ || std::abs(arriving_g_[w]) > band_[w];
    const double near = comes_here ? band_[w] : distance_[w];
    // Its action has turned it round.
    if (watch.side[w] != 0 && board_.info(w).sets_unknowns && is_hardly_beyond(w))
      board_.excuse(w, std::min(2 * std::abs(g_[w]), band_[w]));
    if (watch.side[w] == 0 || std::abs(g_[w]) > near) continue;
    if (std::abs(rate_[w]) * 1e-3 * std::abs(step) > near) continue;
    if (std::abs(g_[w]) <= distance_[w]) board_.excuse(w, distance_[w]);
    begins_near_.push_back(w);
  }
}

std::vector<std::uint32_t> EventLocator::passed(const EventPoint& point, double direction,
                                                double at_once) {
  std::vector<std::uint32_t> found;
  find_distances(point.t, point.x, point.xdot);
  const WatchList watch = board_.watch(point.t);
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (watch.side[w] == 0) continue;
    const double inside = watch.side[w] * g_[w] + watch.slack[w];
    // What rests on its surface, or has just left it, is not what is coming, unless it is beyond that.
    if (board_.search_slack(w) > board_.slack(w) && inside >= 0) continue;
    const double inward = watch.side[w] * rate_[w] * direction;
    // On the surface, as far as rounding tells, and on its way: it is over before the next number.
    const bool is_passing = std::abs(inside) <= rounding_[w] && -inward * at_once > rounding_[w];
    if (inside < 0 || is_passing) found.push_back(w);
  }
  return found;
}

std::vector<double> EventLocator::uncertainties_at(std::span<const double> x,
                                                   double relative) const {
  std::vector<double> found(board_.count(), 0.0);
  const CscPattern& pattern = board_.functions().gradient_pattern();
  for (std::uint32_t j = 0; j < x.size(); ++j) {
    const double off = relative * (std::abs(x[j]) + system_.nominal(j));
    for (auto k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto slot = static_cast<std::size_t>(k);
      found[static_cast<std::size_t>(pattern.row[slot])] += std::abs(gradient_[slot]) * off;
    }
  }
  return found;
}

std::span<const double> EventLocator::margins(const EventPoint& point,
                                              std::span<const std::uint32_t> crossed) {
  find_distances(point.t, point.x, point.xdot);
  if (arrived_at_ != point.t) arriving_g_ = g_;
  arrived_at_ = point.t;
  margin_ = rounding_;
  for (const std::uint32_t w : crossed) margin_[w] = 2 * distance_[w];
  // What sets unknowns acts before its surface. Another instant may find it beyond, where a crossing was pardoned: it is on
  // its surface as far as anybody can tell.
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (board_.info(w).sets_unknowns && is_hardly_beyond(w))
      margin_[w] = std::max(margin_[w], 2 * std::abs(g_[w]));
  }
  return margin_;
}

bool EventLocator::is_hardly_beyond(std::uint32_t which) const {
  const double beyond = -board_.side(which) * g_[which];
  return beyond > distance_[which] && beyond <= 2 * band_[which];
}

double EventLocator::target_of_zero(std::uint32_t which) const {
  return -board_.side(which) * board_.slack(which);
}

double EventLocator::target(std::uint32_t which) const {
  const int side = board_.side(which);
  if (!options_.offset) return target_of_zero(which);
  const double distance = board_.info(which).sets_unknowns ? distance_[which] : -distance_[which];
  return side * (distance - board_.slack(which));
}

/// On the side that is wanted, and no further from the surface than need be.
bool EventLocator::is_placed(std::uint32_t which) const {
  const double beyond = -board_.side(which) * (g_[which] - target_of_zero(which));
  const double most = 1.5 * distance_[which];
  if (!options_.offset)
    return std::abs(beyond) <= std::max(0.5 * distance_[which], rounding_[which]);
  if (board_.info(which).sets_unknowns) return beyond <= 0 && beyond >= -most;
  return beyond >= 0.5 * rounding_[which] && beyond <= most;
}

bool EventLocator::is_before(std::uint32_t which, const EventPoint& point) const {
  double g = 0.0;
  return !board_.functions().evaluate_one(which, point.t, point.x, point.xdot, g) ||
         board_.side(which) * (g - target_of_zero(which)) >= 0;
}

namespace {

double second_derivative(const StepPolynomial& step, double t, std::uint32_t i) {
  const double h = step.t_right - step.t_left;
  const double s = step.position_of(t);
  double second = 0.0;
  for (int k = step.degree; k >= 2; --k) second = second * s + k * (k - 1) * step.coefficient(k, i);
  return second / (h * h);
}

}  // namespace

bool EventLocator::is_negligible(const StepPolynomial& step, double t, double dt,
                                 std::span<const double> x) const {
  double sum = 0.0;
  for (std::uint32_t i = 0; i < step.n; ++i) {
    const double tolerance = tolerances_.rtol * std::abs(x[i]) + tolerances_.atol[i];
    const double left_out = second_derivative(step, t, i) * dt * dt / 2 / tolerance;
    sum += left_out * left_out;
  }
  return sum <= 1e-4 * step.n;
}

/// Whether a function that sets unknowns would hardly notice: what each of many hops leaves out adds up.
bool EventLocator::hardly_bends(std::uint32_t which, const StepPolynomial& step, double t,
                                double dt) const {
  if (!board_.info(which).sets_unknowns) return true;
  const CscPattern& pattern = board_.functions().gradient_pattern();
  double bend = 0.0;
  for (std::uint32_t i = 0; i < step.n; ++i) {
    for (auto k = pattern.column_start[i]; k < pattern.column_start[i + 1]; ++k) {
      const auto slot = static_cast<std::size_t>(k);
      if (static_cast<std::uint32_t>(pattern.row[slot]) == which)
        bend += gradient_[slot] * second_derivative(step, t, i);
    }
  }
  return std::abs(bend) * dt * dt / 2 <= distance_[which];
}

bool EventLocator::leads_away(std::uint32_t which, const EventPoint& point) {
  find_distances(point.t, point.x, point.xdot);
  return board_.side(which) * rate_[which] * (t_right_ - t_left_) > 0;
}

EventPoint EventLocator::locate(Engine& engine, const Departure& first,
                                const MakeConsistent& make_consistent) {
  const StepPolynomial step = engine.last_step();
  t_right_ = step.t_right;
  // Taking the step again changes the polynomial.
  const EventPoint found = point_of(step, first.t_after, first.guarantee);
  EventPoint point = place(engine, first, make_consistent, found);
  if (!board_.info(first.which).sets_unknowns || options_.location == LocationKind::step_end ||
      !leads_away(first.which, point))
    return point;
  return where_it_comes_back(engine, first, make_consistent, found).value_or(point);
}

/// A function that went less far than events are placed before its surface, or less far than its step is off: its action
/// is carried out where it comes back, not where it still goes away. That is where the search found it, or later in the
/// step.
std::optional<EventPoint> EventLocator::where_it_comes_back(Engine& engine, const Departure& first,
                                                            const MakeConsistent& make_consistent,
                                                            EventPoint found) {
  constexpr int fewest = 10,
                most = 50;  // halvings: to a thousandth of the step, to the last digits of the time
  constexpr double near = 1e-2;  // of what the tolerances allow
  constexpr double nearly_all = 0.999;
  bool is_near = false;
  const auto comes_back = [&](EventPoint& at) {
    at.guarantee = Guarantee::marginal;
    if (make_consistent && !make_consistent(at.t, at.x, at.xdot)) return false;
    if (leads_away(first.which, at)) return false;
    const std::uint32_t w = first.which;
    is_near = -board_.side(w) * (g_[w] - target_of_zero(w)) <= near * band_[w];
    return true;
  };
  const auto point_at = [&](double t) {
    std::optional<EventPoint> at;
    // A derivative of the polynomial is not good enough, and engines shorten a step to a time inside it.
    if (!((t - t_left_) * (t_right_ - t) > 0) || !engine.shorten(t)) return at;
    at.emplace();
    at->t = engine.t();
    at->x.assign(engine.x().begin(), engine.x().end());
    at->xdot.assign(engine.xdot().begin(), engine.xdot().end());
    if (!comes_back(*at)) at.reset();
    return at;
  };
  if (auto here = point_at(found.t)) return here;
  double t_away = found.t;
  if (std::abs(t_right_ - t_away) <= few_ulp(t_away) && comes_back(found)) return found;
  auto later = point_at(t_away + nearly_all * (t_right_ - t_away));
  for (int k = 0; later && k < (is_near ? fewest : most); ++k) {
    const double t_middle = t_away + 0.5 * (later->t - t_away);
    if (t_middle == t_away || t_middle == later->t) break;
    if (auto middle = point_at(t_middle))
      later = std::move(middle);
    else
      t_away = t_middle;
  }
  // The engine's last step is to lead there.
  return later ? point_at(later->t) : later;
}

EventPoint EventLocator::point_of(const StepPolynomial& step, double t, Guarantee guarantee) {
  EventPoint point;
  point.t = t;
  point.guarantee = guarantee;
  point.x.resize(step.n);
  point.xdot.resize(step.n);
  step.state_at(t, point.x);
  step.derivative_at(t, point.xdot);
  return point;
}

EventPoint EventLocator::place(Engine& engine, const Departure& first,
                               const MakeConsistent& make_consistent, const EventPoint& found) {
  EventPoint point;
  point.guarantee = first.guarantee;
  const StepPolynomial step = engine.last_step();
  const double t = first.t_after;
  const bool at_left = std::abs(t - step.t_left) <= few_ulp(t);
  const bool at_right = std::abs(step.t_right - t) <= few_ulp(t) || first.s_after >= 1;
  if (options_.location == LocationKind::step_end || at_left || at_right) {
    const bool left = at_left && options_.location != LocationKind::step_end;
    point.t = left ? t_left_ : step.t_right;
    point.after_step_begin = !left;
    const std::span<const double> x = left ? std::span<const double>(x_left_) : engine.x();
    const std::span<const double> xdot = left ? std::span<const double>(xdot_left_) : engine.xdot();
    point.x.assign(x.begin(), x.end());
    point.xdot.assign(xdot.begin(), xdot.end());
    if (left || options_.location == LocationKind::step_end) return point;
  } else if (engine.shorten(t)) {
    point.t = engine.t();
    point.x.assign(engine.x().begin(), engine.x().end());
    point.xdot.assign(engine.xdot().begin(), engine.xdot().end());
  } else {
    point = found;
  }
  if (!polish(engine, first, make_consistent, point)) {
    // The other side need not exist before its surface.
    if (!board_.info(first.which).sets_unknowns && is_before(first.which, point)) point = found;
    point.guarantee = Guarantee::marginal;
  }
  if ((point.t - t_left_) * (t_right_ - t_left_) < 0) {
    // What a correction leaves out may lead to before the step.
    point.t = t_left_;
    point.x = x_left_;
    point.xdot = xdot_left_;
    point.after_step_begin = false;
  }
  return point;
}

/// Multipliers, numbers up to 1, are found by iterations and differences of velocities, and have the noise of these even where
/// no state moves them: a correction that leaves more than it should shows how much.
void EventLocator::note_noise(std::uint32_t which, double aimed_at) {
  constexpr double most = 5e-2;  // of their tolerance
  constexpr double safety = 2.0;
  if (!is_exit(which)) return;
  const double noise = safety * std::abs(g_[which] - aimed_at);
  if (noise <= most * tolerances_.rtol) distance_[which] = std::max(distance_[which], noise);
}

/// False if the crossing is too flat for its place to be improved.
bool EventLocator::polish(Engine& engine, const Departure& first,
                          const MakeConsistent& make_consistent, EventPoint& point) {
  constexpr int most = 6;
  std::optional<double> aimed_at;
  for (int round = 0; round < most; ++round) {
    if (make_consistent && !make_consistent(point.t, point.x, point.xdot)) return false;
    if (round == 0)
      find_distances(point.t, point.x, point.xdot);
    else if (!find_rates(point.t, point.x, point.xdot))
      return false;
    const std::uint32_t w = first.which;
    if (aimed_at) note_noise(w, *aimed_at);
    if (is_placed(w)) return true;
    if (rate_[w] == 0) return false;
    const double dt = (target(w) - g_[w]) / rate_[w];
    if (board_.info(w).sets_unknowns && (point.t + dt - t_left_) * (t_right_ - t_left_) <= 0) {
      // The step began closer to the surface than that.
      point.t = t_left_;
      point.x = x_left_;
      point.xdot = xdot_left_;
      point.after_step_begin = false;
      return true;
    }
    if (std::abs(dt) > std::abs(t_right_ - t_left_)) return false;
    const StepPolynomial step = engine.last_step();
    if (is_negligible(step, point.t, dt, point.x) && hardly_bends(w, step, point.t, dt)) {
      const double t_new = point.t + dt;
      if (t_new == point.t) return true;
      aimed_at = target(w);
      for (std::uint32_t i = 0; i < step.n; ++i) {
        point.x[i] += dt * point.xdot[i];
        point.xdot[i] += dt * second_derivative(step, point.t, i);
      }
      point.t = t_new;
      continue;
    }
    const double t_new = point.t + dt;
    const bool inside = (t_new - t_left_) * (t_right_ - t_new) > 0;
    if (!inside) return false;
    if (!engine.shorten(t_new)) return false;
    point.t = engine.t();
    point.x.assign(engine.x().begin(), engine.x().end());
    point.xdot.assign(engine.xdot().begin(), engine.xdot().end());
  }
  return false;
}

std::optional<EventLocator::Meeting> EventLocator::next_meeting(
    double t, std::span<const double> x, std::span<const double> xdot, bool forward,
    std::span<const std::uint32_t> except) {
  SwitchingFunctions& functions = board_.functions();
  g_.resize(board_.count());
  rate_.resize(board_.count());
  distances_of_.is_known = false;
  if (!functions.rates(t, x, xdot, g_, rate_)) return std::nullopt;
  const WatchList watch = board_.watch(t);
  std::optional<Meeting> first;
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (watch.side[w] == 0 || std::ranges::find(except, w) != except.end()) continue;
    const double inside = watch.side[w] * g_[w] + watch.slack[w];
    const double inward = watch.side[w] * rate_[w] * (forward ? 1.0 : -1.0);
    if (inward >= 0 || inside < 0) continue;
    const double duration = inside / -inward;
    if (!first || duration < first->duration) first = Meeting{w, duration};
  }
  return first;
}

double EventLocator::refine_meeting(const StepPolynomial& step, const Meeting& meeting,
                                    double direction) {
  SwitchingFunctions& functions = board_.functions();
  distances_of_.is_known = false;
  std::vector<double> x(step.n), xdot(step.n);
  double duration = meeting.duration;
  const double length = std::abs(step.t_right - step.t_left);
  for (int round = 0; round < 8; ++round) {
    if (!(duration > 0) || duration > length) return meeting.duration;
    const double t = step.t_right + direction * duration;
    step.state_at(t, x);
    step.derivative_at(t, xdot);
    if (!functions.rates(t, x, xdot, g_, rate_)) return meeting.duration;
    const double inside =
        board_.side(meeting.which) * g_[meeting.which] + board_.slack(meeting.which);
    const double inward = board_.side(meeting.which) * rate_[meeting.which] * direction;
    if (!(inward < 0)) return meeting.duration;
    const double change = inside / -inward;
    duration += change;
    if (std::abs(change) <= 1e-6 * duration) break;
  }
  return duration > 0 ? duration : meeting.duration;
}

EventPoint EventLocator::extrapolate(double t, std::span<const double> x,
                                     std::span<const double> xdot, std::uint32_t which, double dt) {
  EventPoint point;
  point.t = t;
  point.x.assign(x.begin(), x.end());
  point.xdot.assign(xdot.begin(), xdot.end());
  find_distances(t, x, xdot);
  const double rate = rate_[which];
  double g = g_[which], whole = rate == 0 ? dt : 0.0;
  // Only g is evaluated beyond the surface, which it is made for.
  for (int round = 0; round < 4 && rate != 0 && std::isfinite(g); ++round) {
    whole += (target(which) - g) / rate;
    for (std::size_t i = 0; i < point.x.size(); ++i) point.x[i] = x[i] + whole * xdot[i];
    if (!board_.functions().evaluate_one(which, t + whole, point.x, xdot, g)) break;
    if (std::abs(target(which) - g) <= 0.25 * distance_[which]) break;
  }
  point.t = t + whole;
  for (std::size_t i = 0; i < point.x.size(); ++i) point.x[i] = x[i] + whole * xdot[i];
  return point;
}

}  // namespace saltus::detail
