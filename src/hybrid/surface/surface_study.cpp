#include "hybrid/surface/surface_study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>

namespace saltus::detail {

namespace {

// Velocities of so many terms of that size are rounding.
constexpr double rounding_of_rates = 64 * std::numeric_limits<double>::epsilon();
// Motions that differ by less, in parts of their size, are the same.
constexpr double same_motion = 1e-11;
constexpr std::size_t most_tabled = 4;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

SurfaceStudy::SurfaceStudy(ModeRun& mode, const At& at)
    : mode_(mode),
      board_(mode.kit->board),
      at_(at),
      direction_(mode.forward() ? 1.0 : -1.0),
      g_(board_.count()),
      rate_(board_.count()),
      gradients_(static_cast<std::size_t>(board_.functions().gradient_pattern().nnz())) {}

// ---- surfaces ------------------------------------------------------------------------------------------

/// In nominal units of the unknowns.
std::vector<double> SurfaceStudy::gradient(std::uint32_t which, double t, std::span<const double> x,
                                           std::span<const double> xdot) {
  std::vector<double> row(x.size(), 0.0);
  const KeptTruths kept(board_);
  wake(which);
  if (!board_.functions().gradients(t, x, xdot, gradients_)) return row;
  const CscPattern& p = board_.functions().gradient_pattern();
  for (std::uint32_t j = 0; j < x.size(); ++j) {
    for (auto s = p.column_start[j]; s < p.column_start[j + 1]; ++s) {
      if (static_cast<std::uint32_t>(p.row[static_cast<std::size_t>(s)]) == which)
        row[j] = gradients_[static_cast<std::size_t>(s)] * mode_.system->nominal(j);
    }
  }
  return row;
}

/// A point beside this one, in directions that are neither equal nor in a simple ratio to each other.
std::vector<double> SurfaceStudy::moved(double distance) const {
  std::vector<double> x(at_.x.begin(), at_.x.end());
  for (std::uint32_t i = 0; i < x.size(); ++i)
    x[i] += distance * std::sin(1.0 + 1.7 * i) * (std::abs(x[i]) + mode_.system->nominal(i));
  return x;
}

bool SurfaceStudy::is_flat(std::uint32_t which) {
  // A zero of order 3 that is met within 1e-8 has there 1e-6 of the slope that it has 1e-5 beside.
  constexpr double much_less = 1e-3;
  const auto slope_at = [&](std::span<const double> x) {
    const std::vector<double> row = gradient(which, at_.t, x, at_.xdot);
    return std::sqrt(dot(row, row));
  };
  const double here = slope_at(at_.x);
  for (const double distance : {1e-6, 1e-5}) {
    if (here < much_less * slope_at(moved(distance)) &&
        here < much_less * slope_at(moved(-distance)))
      return true;
  }
  return false;
}

/// The sign that a function has on the + side of a surface, if it vanishes there, and nowhere beside.
std::optional<int> SurfaceStudy::side_beside(std::uint32_t which, const Surface& surface,
                                             double t) {
  constexpr double beside = 1e-4, vanishes = 1e-6;
  std::vector<double> x = moved(1e-3), row;
  const std::uint32_t first = surface.switches.front();
  const auto move = [&](double distance) {  // in parts of nominal values, along its gradient
    const double size = std::sqrt(dot(row, row));
    for (std::uint32_t i = 0; i < x.size(); ++i)
      x[i] += distance * row[i] / size * mode_.system->nominal(i);
  };
  const auto value = [&](std::uint32_t w) {
    double g = 0.0;
    return board_.functions().evaluate_one(w, t, x, at_.xdot, g) ? g : std::nan("");
  };
  constexpr int most_rounds = 6;
  for (int round = 0; round < most_rounds; ++round) {
    row = gradient(first, t, x, at_.xdot);
    if (!(dot(row, row) > 0)) return std::nullopt;
    move(-value(first) / std::sqrt(dot(row, row)));
  }
  const double on = value(which);
  move(beside);
  const double above = value(which);
  move(-2 * beside);
  const double below = value(which);
  const double least = std::min(std::abs(above), std::abs(below));
  if (!(std::abs(on) <= vanishes * least) || !(above * below < 0)) return std::nullopt;
  return above > 0 ? 1 : -1;
}

SurfaceStudy::Slopes SurfaceStudy::slopes_of(std::uint32_t which) {
  Slopes slopes{which, gradient(which, at_.t, at_.x, at_.xdot)};
  slopes.size = std::sqrt(dot(slopes.in_x, slopes.in_x));
  if (slopes.size == 0) return slopes;
  const KeptTruths kept(board_);
  wake(which);
  // On its surface: beside it, c(t) g moves otherwise than g.
  double g = 0.0;
  if (!board_.functions().evaluate_one(which, at_.t, at_.x, at_.xdot, g)) return slopes;
  std::vector<double> x(at_.x.begin(), at_.x.end());
  for (std::uint32_t i = 0; i < x.size(); ++i)
    x[i] -= g / (slopes.size * slopes.size) * slopes.in_x[i] * mode_.system->nominal(i);
  const std::vector<double> row = gradient(which, at_.t, x, at_.xdot);
  if (!board_.functions().rates(at_.t, x, at_.xdot, g_, rate_)) return slopes;
  slopes.in_time = rate_[which];
  slopes.rounding = rounding_of_rates * std::abs(rate_[which]);
  for (std::uint32_t i = 0; i < row.size(); ++i) {
    const double part = row[i] * at_.xdot[i] / mode_.system->nominal(i);
    slopes.in_time -= part;
    slopes.rounding += rounding_of_rates * std::abs(part);
  }
  return slopes;
}

/// Two functions have one surface if one is a multiple of the other: here, at a point nearby, and later. The sign of the
/// factor, if they do.
std::optional<int> SurfaceStudy::same_surface(const Slopes& a, const Slopes& b) {
  constexpr double parallel = 1e-10, same = 1e-6,
                   rounding = 8 * std::numeric_limits<double>::epsilon();
  const double cosine = a.size * b.size > 0 ? dot(a.in_x, b.in_x) / (a.size * b.size) : 0.0;
  if (std::abs(std::abs(cosine) - 1.0) > parallel) return std::nullopt;
  const double sign = cosine > 0 ? 1.0 : -1.0;
  const auto value_at = [&](std::uint32_t w, std::span<const double> x) {
    double g = 0.0;
    return board_.functions().evaluate_one(w, at_.t, x, at_.xdot, g) ? g : std::nan("");
  };
  const auto agree = [](double one, double other, double error) {
    return std::abs(one - other) <= same * (std::abs(one) + std::abs(other)) + error;
  };
  const std::vector<double> nearby = moved(1e-3);
  if (!agree(value_at(a.which, nearby) / a.size, sign * value_at(b.which, nearby) / b.size, 0.0))
    return std::nullopt;
  // Surfaces that only meet, as that of x > 0 and one that moves through it, are two.
  if (!agree(a.in_time / a.size, sign * b.in_time / b.size,
             a.rounding / a.size + b.rounding / b.size))
    return std::nullopt;
  const double distance =
      std::abs(value_at(a.which, at_.x) / a.size - sign * value_at(b.which, at_.x) / b.size);
  double terms = 1.0;
  for (std::uint32_t i = 0; i < a.in_x.size(); ++i)
    terms += std::abs(a.in_x[i] * at_.x[i]) / (a.size * mode_.system->nominal(i));
  if (distance > rounding * terms) apart_.push_back({b.which, a.which, distance});
  return static_cast<int>(sign);
}

std::vector<Surface> SurfaceStudy::surfaces_of(std::span<const std::uint32_t> switches) {
  std::vector<Surface> found;
  around_.clear();
  apart_.clear();
  std::vector<Slopes> slopes;  // of the first relation of each
  std::vector<std::uint32_t> flat;
  for (const std::uint32_t w : switches) {
    if (switches.size() > 1 && is_flat(w)) {
      flat.push_back(w);
      continue;
    }
    const Slopes its = slopes_of(w);
    std::optional<int> sign;
    for (std::size_t s = 0; s < found.size() && !sign; ++s) {
      sign = same_surface(its, slopes[s]);
      if (!sign) continue;
      found[s].switches.push_back(w);
      found[s].orientation.push_back(static_cast<std::int8_t>(*sign));
    }
    if (sign) continue;
    found.push_back({{w}, {1}});
    around_ = found;
    slopes.push_back(its);
  }
  for (const std::uint32_t w : flat) {
    std::optional<int> side;
    for (std::size_t s = 0; s < slopes.size() && !side; ++s) {
      side = side_beside(w, found[s], at_.t);
      // Of a surface that moves through it, it does not vanish there a little later.
      if (side != side_beside(w, found[s], at_.t + direction_ * at_.short_time)) side.reset();
      if (!side) continue;
      found[s].switches.push_back(w);
      found[s].orientation.push_back(static_cast<std::int8_t>(*side));
    }
    if (!side) found.push_back({{w}, {1}});
  }
  around_ = found;
  return found;
}

void SurfaceStudy::set_side(const Surface& surface, int side) {
  for (std::size_t i = 0; i < surface.switches.size(); ++i) {
    const std::uint32_t w = surface.switches[i];
    const bool positive = side * surface.orientation[i] > 0;
    board_.set_truth(w, positive == board_.info(w).true_if_positive);
  }
}

/// Takes a side of the surfaces on which a function matters, if it does not as they are.
void SurfaceStudy::wake(std::uint32_t which) {
  if (around_.empty() || board_.functions().is_active(which)) return;
  const auto m = static_cast<std::uint32_t>(around_.size());
  const std::vector<std::uint8_t> before(board_.truths().begin(), board_.truths().end());
  for (std::uint32_t v = 0; v < n_viewed_vertices(m); ++v) {
    const std::uint32_t vertex = viewed_vertex(m, v);
    for (std::uint32_t k = 0; k < m; ++k) set_side(around_[k], (vertex >> k) & 1U ? 1 : -1);
    if (board_.functions().is_active(which)) return;
  }
  board_.set_truths(before);
}

/// Their truth on one side of the surfaces is that of the motion on them as well.
void SurfaceStudy::settle_hidden() {
  std::vector<std::uint8_t> truths(board_.truths().begin(), board_.truths().end());
  board_.note_active();
  for (std::uint32_t w = 0; w < fresh_.size(); ++w) {
    if (fresh_[w]) board_.note_unknown(w);
  }
  for (std::uint32_t w = 0; w < known_.size(); ++w) {
    if (known_[w]) board_.note_known(w);
  }
  for (const Surface& surface : met_) {
    for (const std::uint32_t w : surface.switches) board_.note_known(w);
  }
  // On the surfaces, and not beyond, where the event was placed: others may be as near.
  std::vector<double> x(at_.x.begin(), at_.x.end());
  if (!project_on_surfaces(*mode_.system, *mode_.workspace, met_, at_.t, x, at_.xdot))
    x.assign(at_.x.begin(), at_.x.end());
  on_sides(met_, [&] {
    board_.decide_new(at_.t, x, at_.xdot);
    for (std::uint32_t w = 0; w < board_.count(); ++w) truths[w] = board_.truth(w) ? 1 : 0;
  });
  // Those of the surfaces themselves are what they were.
  for (const Surface& surface : met_) {
    for (const std::uint32_t w : surface.switches) truths[w] = board_.truth(w) ? 1 : 0;
  }
  board_.set_truths(truths);
}

/// Into rate_; of functions that stand for a surface also where the present side has no use for them.
Evaluation SurfaceStudy::find_rates(double t, const Motion& motion) {
  const Evaluation done = board_.functions().rates(t, motion.x, motion.xdot, g_, rate_);
  if (!done) return done;
  std::vector<double> g(g_.size()), rate(rate_.size());
  for (const Surface& surface : met_) {
    const std::uint32_t w = surface.switches.front();
    if (board_.functions().is_active(w)) continue;
    const KeptTruths kept(board_);
    wake(w);
    const Evaluation awake = board_.functions().rates(t, motion.x, motion.xdot, g, rate);
    if (!awake) return awake;
    rate_[w] = rate[w];
  }
  return done;
}

std::vector<double> SurfaceStudy::unimportant_rates() const {
  std::vector<double> rates = mode_.tolerances_at(at_.x);
  const double run = std::abs(mode_.options.t_end - mode_.options.t_begin);
  for (double& rate : rates) rate /= run;
  return rates;
}

// ---- motions -------------------------------------------------------------------------------------------

void SurfaceStudy::put_beside(std::uint32_t which, double distance, double t, std::span<double> x,
                              std::span<const double> xdot) {
  // Surfaces are curved: along the gradient a point that was far from its surface misses it by the square of that.
  constexpr int most_corrections = 8;
  for (int n = 0; n < most_corrections; ++n) {
    double g = 0.0;
    if (!board_.functions().evaluate_one(which, t, x, xdot, g)) return;
    const double inside = board_.side(which) * g;
    if (inside >= (n == 0 ? distance : 0.5 * distance)) return;
    const std::vector<double> row = gradient(which, t, x, xdot);
    if (!(dot(row, row) > 0)) return;
    const double way = board_.side(which) * (distance - inside) / dot(row, row);
    for (std::uint32_t i = 0; i < row.size(); ++i) x[i] += way * row[i] * mode_.system->nominal(i);
  }
}

Result<ConsistentStart> SurfaceStudy::start_beside(std::span<const std::uint32_t> switches,
                                                   double t, std::span<const double> x,
                                                   std::span<const double> xdot, double farther) {
  StartValues guess{
      {x.begin(), x.end()}, {xdot.begin(), xdot.end()}, std::vector<std::uint8_t>(x.size(), 0)};
  Result<ConsistentStart> found = Failure{FailureCode::out_of_domain, ""};
  if (!board_.is_one_sided()) found = mode_.find_compared_start(t, guess);
  constexpr double nearest = 1e-14, farthest = 1e-7;  // of the size of g
  for (double distance = nearest; !found && distance < farthest; distance *= 100) {
    guess.x.assign(x.begin(), x.end());
    for (const std::uint32_t w : switches) {
      const std::vector<double> row = gradient(w, t, guess.x, xdot);
      double g = 0.0, scale = 0.0;
      if (!board_.functions().evaluate_one(w, t, guess.x, xdot, g)) continue;
      for (std::uint32_t i = 0; i < row.size(); ++i)
        scale += std::abs(row[i]) * (1.0 + std::abs(guess.x[i]) / mode_.system->nominal(i));
      put_beside(w, farther * distance * scale, t, guess.x, xdot);
    }
    found = mode_.find_compared_start(t, guess);
  }
  if (found) n_evaluations_ += found->n_evaluations;
  return found;
}

void SurfaceStudy::set_vertex(std::uint32_t vertex) {
  for (std::size_t k = 0; k < met_.size(); ++k) set_side(met_[k], (vertex >> k) & 1U ? 1 : -1);
}

bool SurfaceStudy::has_different_states() {
  // Above what integration leaves, and above how far beside a surface sides are looked at that end there.
  constexpr double noticeable = 100.0, beside = 1e-6;
  const KeptTruths kept(board_);
  auto* projection = mode_.workspace->ability<StepProjection>();
  const auto carries = mode_.system->carries_derivative();
  std::vector<double> first, x;
  for (std::uint32_t b = 0; b < table_.motions.size(); ++b) {
    x = table_.motions[b].x;
    set_vertex(b);
    // An ODE with constraints moves its state onto them after steps only.
    if (projection != nullptr && !projection->project(at_.t, x)) return true;
    if (first.empty()) first = x;
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      const double size = std::abs(first[i]) + mode_.system->nominal(i);
      const double tolerance =
          mode_.engine_options.rtol * std::abs(first[i]) + mode_.engine_options.atol[i];
      const double allowed = std::max(noticeable * tolerance, beside * size);
      if (carries[i] && !(std::abs(x[i] - first[i]) <= allowed)) return true;
    }
  }
  return false;
}

/// What the equations of one vertex give.
Result<SurfaceStudy::Motion> SurfaceStudy::motion_at(std::uint32_t vertex, double t,
                                                     std::span<const double> x,
                                                     std::span<const double> xdot, double farther) {
  const KeptTruths kept(board_);
  std::vector<std::uint32_t> switches;
  set_vertex(vertex);
  for (const Surface& surface : met_) switches.push_back(surface.switches.front());
  auto found = start_beside(switches, t, x, xdot, farther);
  if (!found) return found.failure();
  return Motion{std::move(found->x), std::move(found->xdot), std::move(found->xdot_error)};
}

Result<SurfaceStudy::Table> SurfaceStudy::look(double t, std::span<const double> x,
                                               std::span<const double> xdot) {
  const auto m = static_cast<std::uint32_t>(met_.size());
  Table table;
  table.velocities.n_surfaces = m;
  table.velocities.negligible.assign(m, 0.0);
  std::vector<std::vector<double>> gradients;
  for (const Surface& s : met_) gradients.push_back(gradient(s.switches.front(), t, x, xdot));
  for (std::uint32_t b = 0; b < table.velocities.n_vertices(); ++b) {
    auto motion = motion_at(b, t, x, xdot);
    if (!motion) return motion.failure();
    if (const auto e = find_rates(t, *motion); !e)
      return Failure{FailureCode::out_of_domain,
                     "relation '" + board_.info(e.row()).name + "' cannot be evaluated"};
    for (std::uint32_t k = 0; k < m; ++k) {
      const double rate = direction_ * rate_[met_[k].switches.front()];
      table.velocities.rate.push_back(rate);
      double& negligible = table.velocities.negligible[k];
      negligible = std::max(
          negligible, rounding_of_rates * std::abs(rate) + error_of_rate(gradients[k], *motion));
    }
    table.motions.push_back(std::move(*motion));
  }
  return table;
}

/// Rounding, and what derivatives that are differences may be off by.
double SurfaceStudy::error_of_rate(std::span<const double> gradient, const Motion& motion) const {
  double error = 0.0;
  for (std::uint32_t i = 0; i < gradient.size(); ++i) {
    double of_slope = rounding_of_rates * std::abs(motion.xdot[i]);
    if (!motion.xdot_error.empty()) of_slope += motion.xdot_error[i];
    error += std::abs(gradient[i]) / mode_.system->nominal(i) * of_slope;
  }
  return error;
}

/// A system that decides its sides by itself is looked at a distance beside its surfaces, which changes velocities also where
/// nothing switches. What they tend to: from two distances, one twice the other.
Result<std::vector<SurfaceStudy::Motion>> SurfaceStudy::limits_at_surfaces(const Table& table) {
  std::vector<Motion> limits = table.motions;
  if (!board_.is_one_sided()) return limits;
  for (std::uint32_t b = 0; b < limits.size(); ++b) {
    const auto farther = motion_at(b, at_.t, at_.x, at_.xdot, 2.0);
    if (!farther) return farther.failure();
    for (std::size_t i = 0; i < limits[b].xdot.size(); ++i)
      limits[b].xdot[i] = 2 * limits[b].xdot[i] - farther->xdot[i];
  }
  return limits;
}

/// Kinks do not matter: only sides that move differently are worth a decision.
Result<void> SurfaceStudy::leave_out_continuous(Table& table) {
  auto limits = limits_at_surfaces(table);
  if (!limits) return limits.failure();
  for (std::size_t k = met_.size(); k-- > 0;) {
    bool differs = false;
    for (std::uint32_t b = 0; b < table.motions.size() && !differs; ++b) {
      if ((b >> k) & 1U) continue;
      const std::uint32_t across = b | (1U << k);
      const std::vector<double>& one = table.motions[b].xdot;
      const std::vector<double>& other = table.motions[across].xdot;
      for (std::size_t i = 0; i < one.size(); ++i) {
        const double difference = (*limits)[b].xdot[i] - (*limits)[across].xdot[i];
        double same = same_motion * (std::abs(one[i]) + std::abs(other[i]));
        for (const Motion* m : {&table.motions[b], &table.motions[across]})
          if (!m->xdot_error.empty()) same += m->xdot_error[i];
        differs = differs || std::abs(difference) > same;
      }
    }
    if (differs) continue;
    for (std::uint32_t b = static_cast<std::uint32_t>(limits->size()); b-- > 0;)
      if ((b >> k) & 1U) limits->erase(limits->begin() + b);
    Table smaller;
    smaller.velocities.n_surfaces = table.velocities.n_surfaces - 1;
    smaller.velocities.negligible = table.velocities.negligible;
    smaller.velocities.negligible.erase(smaller.velocities.negligible.begin() +
                                        static_cast<std::ptrdiff_t>(k));
    for (std::uint32_t b = 0; b < table.motions.size(); ++b) {
      if ((b >> k) & 1U) continue;
      for (std::uint32_t s = 0; s < table.velocities.n_surfaces; ++s) {
        if (s != k) smaller.velocities.rate.push_back(table.velocities(b, s));
      }
      smaller.motions.push_back(std::move(table.motions[b]));
    }
    table = std::move(smaller);
    met_.erase(met_.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return {};
}

// ---- the decision --------------------------------------------------------------------------------------

Result<SurfaceDecision> SurfaceStudy::decide(std::vector<Surface> met, SlidingRule rule) {
  met_ = std::move(met);
  around_ = met_;
  table_ = {};
  settle_hidden();
  if (met_.size() > most_tabled) return decide_many(rule);
  auto table = look(at_.t, at_.x, at_.xdot);
  if (!table) return table.failure();
  if (auto ok = leave_out_continuous(*table); !ok) return ok.failure();
  table_ = std::move(*table);
  if (met_.empty()) {
    SurfaceDecision nothing;
    nothing.kind = DecisionKind::unique;
    nothing.candidates.emplace_back().consistent = true;
    return nothing;
  }
  DecideOptions options;
  options.rule = rule;
  for (const Surface& s : met_) options.names.push_back(name_of(s));
  options.second_derivative = [this](const SurfaceCandidate& c, std::uint32_t k) {
    return second_derivative(c, k);
  };
  auto holds = find_holds();
  if (!holds) return holds.failure();
  options.hold = std::move(*holds);
  const std::vector<double> rates = unimportant_rates();
  for (const Surface& s : met_) {
    const std::vector<double> row = gradient(s.switches.front(), at_.t, at_.x, at_.xdot);
    double sum = 0.0;
    for (std::uint32_t i = 0; i < row.size(); ++i)
      sum += std::abs(row[i]) / mode_.system->nominal(i) * rates[i];
    options.unimportant.push_back(sum);
  }
  NormalVelocities velocities = table_.velocities;
  doubt_released(velocities.negligible);
  return saltus::decide(velocities, options);
}

bool SurfaceStudy::is_released(std::uint32_t which) const {
  return std::find(released_.begin(), released_.end(), which) != released_.end();
}

void SurfaceStudy::doubt_released(std::span<double> negligible) const {
  if (released_.empty() || !(released_step_ > 0)) return;
  const std::span<const double> uncertainty = mode_.kit->locator.uncertainties();
  for (std::size_t k = 0; k < met_.size(); ++k) {
    const std::uint32_t w = met_[k].switches.front();
    if (is_released(w)) negligible[k] = std::max(negligible[k], uncertainty[w] / released_step_);
  }
}

/// Where sides add up (each surface has a force of its own) a few of the many vertices tell all.
Result<SurfaceDecision> SurfaceStudy::decide_many(SlidingRule rule) {
  const auto m = static_cast<std::uint32_t>(met_.size());
  constexpr std::uint32_t most = 30;
  if (m > most)
    return Failure{FailureCode::not_certified, std::to_string(m) + " surfaces are met at once"};
  std::vector<double> negligible(m, 0.0);
  std::vector<std::vector<double>> gradients;
  for (const Surface& s : met_)
    gradients.push_back(gradient(s.switches.front(), at_.t, at_.x, at_.xdot));
  const auto velocities_at = [&](std::uint32_t vertex) -> Result<std::vector<double>> {
    auto motion = motion_at(vertex, at_.t, at_.x, at_.xdot);
    if (!motion) return motion.failure();
    if (!find_rates(at_.t, *motion))
      return Failure{FailureCode::out_of_domain, "a relation cannot be evaluated"};
    std::vector<double> v;
    for (std::uint32_t k = 0; k < m; ++k) {
      v.push_back(direction_ * rate_[met_[k].switches.front()]);
      negligible[k] += rounding_of_rates * std::abs(v[k]) + error_of_rate(gradients[k], *motion);
    }
    return v;
  };
  auto all_minus = velocities_at(0);
  if (!all_minus) return all_minus.failure();
  AffineVelocities affine{*all_minus, Matrix(m, m), std::vector<double>(m, 0.0)};
  for (std::uint32_t j = 0; j < m; ++j) {
    auto flipped = velocities_at(1U << j);
    if (!flipped) return flipped.failure();
    for (std::uint32_t k = 0; k < m; ++k) {
      affine.m(k, j) = ((*flipped)[k] - (*all_minus)[k]) / 2;
      affine.v[k] += affine.m(k, j);
    }
  }
  auto all_plus = velocities_at((1U << m) - 1);
  if (!all_plus) return all_plus.failure();
  for (std::uint32_t k = 0; k < m; ++k) {
    double sum = affine.v[k], size = std::abs(sum);
    for (std::uint32_t j = 0; j < m; ++j) {
      sum += affine.m(k, j);
      size += std::abs(affine.m(k, j));
    }
    if (std::abs(sum - (*all_plus)[k]) > 1e-9 * size + negligible[k])
      return Failure{
          FailureCode::not_certified,
          std::to_string(m) +
              " surfaces are met at once, and the motions of their sides contradict each other"};
  }
  affine.negligible = std::move(negligible);
  doubt_released(affine.negligible);
  DecideOptions options;
  options.rule = rule;
  for (const Surface& s : met_) options.names.push_back(name_of(s));
  auto holds = find_holds();
  if (!holds) return holds.failure();
  options.hold = std::move(*holds);
  return saltus::decide(affine, options);
}

namespace {

/// Weights of all vertices: those of a side that is left, those of the mixture on surfaces that are kept.
std::vector<double> weights_of(const SurfaceCandidate& candidate) {
  std::vector<double> w(std::size_t{1} << candidate.state.size());
  vertex_weights(candidate.multiplier, w);
  return w;
}

}  // namespace

std::vector<double> SurfaceStudy::motion_of(const SurfaceCandidate& candidate,
                                            const Table& table) const {
  const std::vector<double> w = weights_of(candidate);
  std::vector<double> motion(at_.x.size(), 0.0);
  for (std::size_t b = 0; b < w.size(); ++b) {
    for (std::size_t i = 0; i < motion.size(); ++i) motion[i] += w[b] * table.motions[b].xdot[i];
  }
  return motion;
}

double SurfaceStudy::rate_of(const SurfaceCandidate& candidate, const Table& table,
                             std::uint32_t k) const {
  const std::vector<double> w = weights_of(candidate);
  double rate = 0.0;
  for (std::uint32_t b = 0; b < w.size(); ++b) rate += w[b] * table.velocities(b, k);
  return rate;
}

/// Along the candidate's motion, by a difference over a time that is short but far above rounding.
std::optional<double> SurfaceStudy::second_derivative(const SurfaceCandidate& candidate,
                                                      std::uint32_t k) {
  if (!(at_.short_time > 0)) return std::nullopt;
  const double dt = direction_ * at_.short_time;
  const std::vector<double> motion = motion_of(candidate, table_);
  std::vector<double> x(at_.x.begin(), at_.x.end());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += dt * motion[i];
  const auto later = look(at_.t + dt, x, motion);
  if (!later) return std::nullopt;
  SurfaceCandidate moved = candidate;
  if (candidate.n_kept() > 0) {
    // Multipliers follow the point; with one that cannot be found the old ones are close.
    std::vector<std::uint32_t> kept;
    for (std::uint32_t s = 0; s < candidate.state.size(); ++s) {
      if (candidate.state[s] == 0) kept.push_back(s);
    }
    NormalVelocities on_kept;
    on_kept.n_surfaces = static_cast<std::uint32_t>(kept.size());
    for (std::uint32_t b = 0; b < on_kept.n_vertices(); ++b) {
      std::uint32_t vertex = 0;
      for (std::uint32_t s = 0; s < candidate.state.size(); ++s) {
        if (candidate.state[s] > 0) vertex |= 1U << s;
      }
      for (std::uint32_t i = 0; i < kept.size(); ++i) {
        if ((b >> i) & 1U) vertex |= 1U << kept[i];
      }
      for (const std::uint32_t s : kept) on_kept.rate.push_back(later->velocities(vertex, s));
    }
    on_kept.negligible.assign(kept.size(), 0.0);
    std::vector<double> u;
    for (const std::uint32_t s : kept) u.push_back(candidate.multiplier[s]);
    if (solve_multipliers(on_kept, u)) {
      for (std::size_t i = 0; i < kept.size(); ++i) moved.multiplier[kept[i]] = u[i];
    }
  }
  const double change = rate_of(moved, *later, k) - rate_of(candidate, table_, k);
  const double noise = 100 * (table_.velocities.negligible[k] + later->velocities.negligible[k]);
  if (!(std::abs(change) > noise)) return std::nullopt;
  return change / at_.short_time;
}

std::vector<SlidingPoint> SurfaceStudy::vertex_points() const {
  std::vector<SlidingPoint> points;
  for (const Motion& m : table_.motions) points.push_back({at_.t, m.x, m.xdot});
  return points;
}

Result<std::vector<SlidingPoint>> SurfaceStudy::look_at(std::vector<Surface> kept) {
  met_ = std::move(kept);
  table_ = {};
  auto table = look(at_.t, at_.x, at_.xdot);
  if (!table) return table.failure();
  table_ = std::move(*table);
  return vertex_points();
}

bool motions_add_up(const System& system, std::span<const SlidingPoint> vertices,
                    std::span<const double> no_matter) {
  // Searches for consistent states leave as much.
  constexpr double same_sum = 1e-9;
  const auto carries = system.carries_derivative();
  for (std::uint32_t i = 0; i < carries.size() && vertices.size() > 2; ++i) {
    if (!carries[i]) continue;
    const double first = vertices[0].xdot[i];
    double size = 0.0, off = 0.0;
    for (std::size_t b = 0; b < vertices.size(); ++b) {
      double sum = first;
      for (std::size_t side = 1; side < vertices.size(); side *= 2) {
        if ((b & side) != 0) sum += vertices[side].xdot[i] - first;
      }
      size = std::max(size, std::abs(vertices[b].xdot[i]));
      off = std::max(off, std::abs(vertices[b].xdot[i] - sum));
    }
    const double least = no_matter.empty() ? 0.0 : no_matter[i];
    if (off > std::max(same_sum * size, least)) return false;
  }
  return true;
}

// ---- in words ------------------------------------------------------------------------------------------

std::string SurfaceStudy::name_of(const Surface& surface) const {
  return board_.info(surface.switches.front()).name;
}

SurfaceCandidateRecord SurfaceStudy::record_of(const SurfaceCandidate& candidate) const {
  SurfaceCandidateRecord record;
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < candidate.state.size(); ++k) {
    const SwitchInfo& info = board_.info(met_[k].switches.front());
    if (candidate.state[k] == 0) {
      parts.push_back("sliding on " + info.name);
      record.motions.push_back({info.name, std::nullopt, 0.0, candidate.multiplier[k]});
    } else {
      const bool truth = (candidate.state[k] > 0) == info.true_if_positive;
      parts.push_back(info.name + (truth ? " true" : " false"));
      record.motions.push_back({info.name, truth, candidate.rate[k], 0.0});
    }
  }
  record.text = join(parts, ", ");
  record.consistent = candidate.consistent;
  record.verdict = candidate.verdict;
  return record;
}

}  // namespace saltus::detail
