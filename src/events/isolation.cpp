#include "events/isolation.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>

namespace saltus::detail {

namespace {

// Halvings for want of a model: a kink or a pole is then shut up in a sixteenth of the step, the rest of
// which is still proven.
constexpr int most_levels = 4;
// Nothing but a function built for it needs more; what is left is looked at by samples.
constexpr int most_models = 2000;
// A new model over each half makes the remainder 2^-(degree + 1) times as large: worth its price once it
// is no longer small beside what the polynomial does.
constexpr double large_truncation = 0.05;

constexpr double unremarkable = 0.381966;

double ulp_of(double t) {
  const double size = std::abs(t);
  return next_up(size) - size;
}

}  // namespace

Isolation::Isolation(int samples_per_step) : samples_(samples_per_step) {}

Piece& Isolation::push() {
  SALTUS_ASSERT(depth_ < stack_.size());
  return stack_[depth_++];
}

void Isolation::push_halves_without_models(const Piece& piece) {
  const double a = piece.a, b = piece.b;
  const double middle = 0.5 * (a + b);
  const int level = piece.level;
  for (const auto& [from, to] : {std::pair(middle, b), std::pair(a, middle)}) {
    Piece& half = push();
    half.a = from;
    half.b = to;
    half.level = level;
    half.has_model = false;
    half.is_sampled = false;
    half.is_quick = false;
  }
}

IsolationOutcome Isolation::search(WatchedFunction& function, double limit,
                                   const IsolationLimits& limits, const Interval& range) {
  s_from_ = function.s_from();
  limits_ = limits;
  IsolationOutcome outcome;
  if (rests_beside_surface(range, outcome)) return outcome;
  const StepPolynomial& step = function.step();
  const double t_size = std::max(std::abs(step.t_left), std::abs(step.t_right));
  // Positions closer than this are the same time.
  narrowest_ = std::max(0x1p-43, 4 * ulp_of(t_size) / std::abs(step.t_right - step.t_left));
  n_models_ = 0;
  is_heuristic_ = is_marginal_ = samples_only_ = has_risen_ = false;
  seen_.reset();
  nearest_.reset();
  walk_.begin();
  if (search_monotone(function, outcome)) return outcome;
  // Each halving leaves one piece more on the stack, and pieces narrower than 2^-43 are not halved.
  stack_.resize(64);
  depth_ = 0;
  Piece& whole = push();
  whole = Piece{};
  whole.a = s_from_;
  whole.b = 1.0;
  whole.is_quick = true;
  while (depth_ > 0) {
    Piece piece = stack_[--depth_];
    if (piece.a > limit || (piece.a == limit && limit > s_from_)) break;
    if (seen_ && piece.a >= seen_->after) break;
    const Next next = treat(function, piece);
    if (next == Next::stop) break;
    if (next == Next::crossed && locate(function, walk_.crossing(), outcome)) break;
  }
  walk_.end();
  if (limits_.leaves && !has_risen_ && ends_higher(function)) note_rise();
  if (seen_ && !outcome.bracket) locate(function, *seen_, outcome);
  if (is_heuristic_) outcome.of_search = Guarantee::heuristic;
  if (is_marginal_ || walk_.is_marginal()) outcome.of_search = Guarantee::marginal;
  outcome.nearest = nearest_;
  if (walk_.is_marginal() && !is_marginal_) outcome.nearest = {walk_.marginal_at(), 0.0};
  return outcome;
}

/// The usual case among functions that come near zero: one slope all the way, and the ends tell the rest.
bool Isolation::search_monotone(WatchedFunction& function, IsolationOutcome& outcome) {
  WatchedFunction::Trend trend;
  if (!function.set_trend(s_from_, 1.0, trend)) return false;
  if (trend.slope == 0) return is_settled_by_range(trend.range, outcome);
  if (!walk_.monotone(s_from_, 1.0, trend.slope, trend.left, trend.right)) {
    walk_.end();
    if (walk_.is_marginal()) {
      outcome.of_search = Guarantee::marginal;
      outcome.nearest = {walk_.marginal_at(), 0.0};
    }
    return true;
  }
  if (locate(function, walk_.crossing(), outcome)) return true;
  is_marginal_ = false;
  nearest_.reset();
  walk_.begin();
  return false;
}

/// What rests beside its surface, as a current does that is blocked, needs no model to say so.
bool Isolation::rests_beside_surface(const Interval& range, IsolationOutcome& outcome) const {
  constexpr double as_good_as_constant = 1e-6;  // of the band
  const double distance = range.lo() - limits_.slack;
  if (!(range.lo() > 0 && distance <= limits_.band)) return false;
  if (!(range.width() <= as_good_as_constant * limits_.band)) return false;
  outcome.of_search = Guarantee::marginal;
  outcome.nearest = {0.5 * (s_from_ + 1.0), distance};
  return true;
}

/// The same where it moves a little: positive all along the step, and so flat that its range tells how near it comes, as
/// is_clear_of_band() would.
bool Isolation::is_settled_by_range(const Interval& range, IsolationOutcome& outcome) const {
  if (!(range.lo() > 0) || limits_.leaves) return false;
  if (limits_.band <= 0) return true;
  const double distance = range.lo() - limits_.slack;
  if (distance > limits_.reach * limits_.band) return true;
  if (!(range.width() <= 0.25 * std::max(limits_.band, distance))) return false;
  if (distance <= limits_.band) outcome.of_search = Guarantee::marginal;
  outcome.nearest = {0.5 * (s_from_ + 1.0), distance};
  return true;
}

bool Isolation::locate(WatchedFunction& function, const SideCrossing& crossing,
                       IsolationOutcome& outcome) {
  outcome.bracket = refine(function, crossing);
  if (!outcome.bracket) {
    // It returns between two representable times.
    is_marginal_ = true;
    nearest_ = {crossing.before, 0.0};
    return false;
  }
  outcome.of_departure = is_heuristic_ ? Guarantee::heuristic : crossing.guarantee;
  if (crossing.guarantee == Guarantee::marginal) {
    is_marginal_ = true;
    nearest_ = {crossing.before, 0.0};
  }
  return true;
}

Isolation::Next Isolation::treat(WatchedFunction& function, Piece& piece) {
  if (!piece.has_model) {
    if (samples_only_ || n_models_ >= most_models || !function.set_model(piece)) {
      return treat_without_model(function, piece);
    }
    ++n_models_;
  }
  const Verdict v = judge(piece);
  const Next next = settle(piece, v);
  if (next != Next::stop) return next;

  if (piece.width() <= narrowest_) return give_up(piece);
  const bool can_renew = !piece.is_sampled && n_models_ < most_models;
  const auto renew = [&] {
    piece.has_model = piece.is_quick = false;
    push() = piece;
    return Next::go_on;
  };
  if (can_renew && v.error > large_truncation * v.variation && piece.truncation > 0.5 * v.error) {
    if (piece.is_quick) return renew();
    push_halves_without_models(piece);
    return Next::go_on;
  }
  if (v.error >= 0.5 * v.variation) {
    // The model of a larger piece carries the rounding errors of values that are larger, too.
    if (can_renew && !piece.is_fresh) return renew();
    return give_up(piece);
  }
  Piece& right = push();
  Piece& left = push();
  halve(piece, left, right);
  return Next::go_on;
}

/// Rounding hides the rest, but for the middle.
Isolation::Next Isolation::give_up(const Piece& piece) {
  walk_.unresolved(piece.a);
  if (!piece.is_fresh || piece.centre_sign >= 0) return Next::go_on;
  walk_.negative(0.5 * (piece.a + piece.b));
  return Next::crossed;
}

/// What begins on its surface has not come near it before it goes away.
void Isolation::note_rise() {
  has_risen_ = true;
  if (!limits_.leaves) return;
  is_marginal_ = false;
  nearest_.reset();
}

/// Over a step so short that all of it is near the surface.
bool Isolation::ends_higher(WatchedFunction& function) const {
  double near = 0.0, end = 0.0;
  return nearest_ && function.evaluate(function.time_at(nearest_->s), near) &&
         function.evaluate(function.time_at(1.0), end) && end > near;
}

/// Pieces of which enough is known; Next::stop for the others.
Isolation::Next Isolation::settle(const Piece& piece, const Verdict& v) {
  const bool is_away = v.lowest - limits_.slack > limits_.band;
  if ((v.slope > 0 || is_away) && !has_risen_) note_rise();
  if (v.lowest > 0 || (v.slope != 0 && v.left > 0 && v.right > 0)) {
    if (v.slope == 0 && !is_clear_of_band(piece, v)) return Next::stop;
    walk_.positive();
    return Next::go_on;
  }
  if (v.highest < 0) {
    walk_.negative(piece.a);
    return Next::crossed;
  }
  if (v.slope == 0) return Next::stop;
  // Zero at an end of the search, up to rounding, is as good as known; at any other place, or where a better
  // model may tell, it has to be approached.
  const bool is_rounding = piece.truncation <= 0.5 * v.error;
  const bool left_open = v.left == 0 && !(is_rounding && piece.a == s_from_);
  const bool right_open = v.right == 0 && !(is_rounding && piece.b == 1.0);
  if (left_open || right_open) return Next::stop;
  return walk_.monotone(piece.a, piece.b, v.slope, v.left, v.right) ? Next::crossed : Next::go_on;
}

/// On a piece where G > 0. Notes an extremum within reach once it is resolved well enough for its distance.
bool Isolation::is_clear_of_band(const Piece& piece, const Verdict& v) {
  if (limits_.band <= 0 || is_marginal_) return true;
  const double distance = v.lowest - limits_.slack;
  if (distance > limits_.reach * limits_.band) return true;
  const double fine = 0.25 * std::max(limits_.band, distance);
  // A remainder that a better model would not have decides nothing.
  const bool is_good = v.error <= fine || piece.truncation <= 0.5 * v.error;
  const bool is_flat = v.variation <= fine || v.error >= 0.5 * v.variation;
  const bool is_resolved = (is_good && is_flat) || piece.width() <= narrowest_;
  if (!is_resolved) return false;
  is_marginal_ = distance <= limits_.band;
  if (is_marginal_ || !nearest_ || distance < nearest_->distance)
    nearest_ = {0.5 * (piece.a + piece.b), distance};
  return true;
}

Isolation::Next Isolation::treat_without_model(WatchedFunction& function, Piece& piece) {
  const bool can_halve = piece.level < most_levels && piece.width() > narrowest_;
  const auto go_down = [&] {
    ++piece.level;
    push_halves_without_models(piece);
    return Next::go_on;
  };
  // Halving finds the smooth parts, if there are any: a function without coefficients at a point that
  // nothing distinguishes has none.
  if (piece.level == 0 && !function.has_series_at(piece.a + unremarkable * piece.width())) {
    samples_only_ = true;
  }
  if (can_halve && !samples_only_ && n_models_ < most_models) return go_down();
  is_heuristic_ = true;
  const SampledModels::Outcome found = samples_.look(function, piece);
  if (found.kind == SampledModels::Kind::poor && can_halve) return go_down();
  if (found.seen && !seen_) {
    seen_ = found.seen;
    seen_->guarantee = Guarantee::heuristic;
  }
  switch (found.kind) {
    case SampledModels::Kind::model:
      push() = piece;
      return Next::go_on;
    case SampledModels::Kind::poor:
      // Signs of the samples are all there is: seen_ has them.
      if (!found.seen) walk_.positive();
      return Next::go_on;
    case SampledModels::Kind::outside:
      return Next::stop;
  }
  return Next::stop;
}

}  // namespace saltus::detail
