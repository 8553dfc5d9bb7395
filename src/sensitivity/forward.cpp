#include <saltus/sensitivity/forward.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/system/directions.hpp>

#include "sensitivity/computed_variables.hpp"
#include "sensitivity/function_at_event.hpp"
#include "sensitivity/likely_errors.hpp"
#include "sensitivity/linearised_point.hpp"
#include "sensitivity/near_misses.hpp"
#include "sensitivity/variational_step.hpp"

namespace saltus {

namespace {

/// Below this part of the sum of its terms the rate of a function is none: its surface is touched.
constexpr double grazing = 1e-6;
/// If g is off by its likely error, and g' changes by more than this part meanwhile, g' is not known.
constexpr double unknown = 0.1;
/// What is not explained by errors of integration and location has jumped.
constexpr double noticeable = 1000.0;

std::vector<std::string> names_of(const System& system) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < system.size(); ++i) names.push_back(system.unknown_name(i));
  return names;
}

/// Per unknown, whether any equation depends on its value; of some only derivatives occur.
std::vector<std::uint8_t> matter_by_value(const FollowedPoint& at) {
  const CscPattern& p = at.system.pattern();
  std::vector<double> of_x(static_cast<std::size_t>(p.nnz())), of_xdot(of_x.size());
  std::vector<std::uint8_t> matters(at.x.size(), 1);
  if (!at.workspace.jacobian(at.t, at.x, at.xdot, of_x, of_xdot)) return matters;
  for (std::size_t i = 0; i < matters.size(); ++i) {
    const auto first = of_x.begin() + p.column_start[i],
               last = of_x.begin() + p.column_start[i + 1];
    matters[i] = std::any_of(first, last, [](double v) { return v != 0; }) ? 1 : 0;
  }
  return matters;
}

std::optional<std::size_t> place_of(const std::vector<std::string>& names,
                                    const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

/// The polynomial of degree 3 that has the same values at the three points of Radau IIA and one more at 0: what is added
/// vanishes at the points.
std::array<double, 4> through_start(std::array<double, 4> c, double start) {
  // (x - c1)(x - c2)(x - 1) of Radau IIA, times 10: -1, 9, -18, 10
  const double by = (start - c[0]) / -1.0;
  return {start, c[1] + 9 * by, c[2] - 18 * by, c[3] + 10 * by};
}

}  // namespace

class ForwardSensitivities::Columns {
 public:
  Columns(std::vector<std::string> parameters, SensitivityOptions options)
      : parameters_(std::move(parameters)), options_(options) {}

  void goes_on(const FollowedPoint& from, const std::string& segment);
  void follow(const System& system, Workspace& workspace, const StepPolynomial& piece);
  void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings);
  void acts(EventActions& actions, std::span<const std::uint32_t> due, double t,
            std::span<const double> x, std::span<const double> xdot);
  void changes_mode(const FollowedPoint& to, const MovedStart& moved);
  void catch_up() { carry_along(true); }
  void end(double t, std::string why) {
    if (!ends_) ends_ = NoDerivative{t, std::move(why)};
  }
  void hardly_misses(std::uint32_t which, double t) {
    if (!options_.at_events || ends_) return;
    if (const auto miss = near_misses_.told(which, t)) end_by(*miss);
  }
  Sensitivities take();

 private:
  void end_by(const detail::NearMiss& miss) {
    catch_up();
    end(miss.t,
        "'" + miss.relation + "' is touched, or missed by less than what the tolerance allows");
  }
  std::size_t p() const { return parameters_.size(); }
  void begin(const FollowedPoint& from);
  void carry_along(bool to_the_end);
  void carry_over(const FollowedPoint& from);
  void begin_segment(const FollowedPoint& from, const std::string& segment);
  void look_around(const FollowedPoint& left);
  void record(double t_from, double t_to);
  void record_piece(const StepPolynomial& s, const StepPolynomial& computed);
  void note_missed(const detail::MissedFit& missed);
  void find_rates(const FollowedPoint& left);
  detail::MotionAtEvent motion() const {
    return {nominal_, slope_, piece_length_, p(), knows_rates_, bend_, sdot_, integrated_};
  }
  void show_columns(double t);
  void settle_point();
  double error_norm(const System& system) const;
  std::optional<std::vector<double>> time_derivatives(const FollowedPoint& left,
                                                      const FollowedCrossing& crossing);
  std::optional<std::vector<double>> derivatives_of_instant(double t, double earlier,
                                                            const std::string& who);
  void settle_actions();
  double step_of_differences(std::size_t column, double t, std::span<const double> x) const;
  void acts_one(EventActions& actions, std::uint32_t action, double t, std::span<const double> x,
                std::span<const double> xdot);
  std::optional<std::vector<double>> values_along(EventActions& actions, std::uint32_t action,
                                                  double t, std::span<const double> x,
                                                  std::span<const double> xdot, std::size_t column);

  std::vector<std::string> parameters_;
  SensitivityOptions options_;
  std::vector<std::string> names_;  // of unknowns
  std::vector<double> nominal_;
  std::vector<double> s_;      // [unknown p + parameter]
  std::vector<double> scale_;  // of parameters
  std::unique_ptr<detail::VariationalStep> step_;
  double step_size_ = 0.0;
  double t_ = 0.0;             // S is known up to here,
  detail::FollowedPath path_;  // and the solution is known from here on
  const System* followed_ = nullptr;
  Workspace* field_ = nullptr;      // of its equations,
  Workspace* workspace_ = nullptr;  // and of what is computed from them
  detail::NearMisses near_misses_;
  bool starts_known_ = false;  // S of all unknowns, where the next step begins
  double last_length_ = 0.0,
         piece_length_ = 0.0;  // of pieces: of the last, the longer of the last two
  std::vector<double> slope_;  // of the solution where the last piece ended

  // At an instant, if they are known: S' and x'' of unknowns that are integrated.
  bool knows_rates_ = false;
  std::vector<double> sdot_, bend_;
  std::vector<std::uint8_t> integrated_;

  bool at_instant_ = false;
  std::vector<double> tau_, y_;  // dt*/dp, and how the left limit moves
  std::vector<double> expected_;
  std::optional<std::vector<double>> moved_;  // of a new mode: how its start moves, as S
  struct NewRow {
    std::uint32_t unknown = 0;
    double value = 0.0;
    std::vector<double> derivatives;
    int priority = 0;
  };
  std::vector<NewRow> new_rows_;  // of actions that read the same values

  std::optional<TrajectoryRecorder> recorder_;
  std::vector<std::optional<std::uint32_t>> unknown_of_;  // of the variables of the model
  std::unique_ptr<detail::ComputedVariables> computed_;   // the other ones
  std::string segment_;
  std::vector<std::uint8_t> present_;  // columns in it
  struct Point {
    double t;
    std::vector<double> values;
  };
  std::optional<Point> point_;  // where it begins, while it has no steps
  std::vector<double> recorded_;
  std::vector<EventTimeDerivative> event_times_;
  std::optional<NoDerivative> ends_;
  SensitivityWork work_;
  std::optional<CoarseDerivative> coarsest_;
  double coarsest_in_tolerances_ = 0.0;
  std::optional<RatesBeforeEvent> rates_;
};

void ForwardSensitivities::Columns::begin(const FollowedPoint& from) {
  names_ = names_of(from.system);
  s_.assign(names_.size() * p(), 0.0);
  std::vector<VariableInfo> variables;
  for (std::size_t k = 0; k < p(); ++k) {
    const auto place = place_of(names_, parameters_[k]);
    if (!place)
      throw OptionError("sensitivities",
                        "'" + parameters_[k] + "' is neither a parameter nor a state");
    s_[*place * p() + k] = 1.0;
    scale_.push_back(std::max(std::abs(from.x[*place]),
                              from.system.nominal(static_cast<std::uint32_t>(*place))));
    for (const VariableInfo& v : from.system.variable_map().variables())
      variables.push_back({Sensitivities::column(v.name, parameters_[k]), "", ""});
  }
  recorder_.emplace(std::move(variables));
}

/// (Z.5), by names of unknowns.
void ForwardSensitivities::Columns::carry_over(const FollowedPoint& from) {
  settle_actions();
  const auto names = names_of(from.system);
  const auto carries = from.system.carries_derivative();
  std::vector<std::uint8_t> matters;  // found where a name is new
  std::vector<double> s(names.size() * p(), 0.0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto was = i < names_.size() && names[i] == names_[i] ? std::optional<std::size_t>(i)
                                                                : place_of(names_, names[i]);
    if (!carries[i]) {
      for (std::size_t k = 0; was && k < p(); ++k) s[i * p() + k] = y_[*was * p() + k];
      continue;
    }
    if (moved_) {
      for (std::size_t k = 0; k < p(); ++k)
        s[i * p() + k] = (*moved_)[i * p() + k] - from.xdot[i] * tau_[k];
      continue;
    }
    if (!was && matters.empty()) matters = matter_by_value(from);
    if (!was && !matters[i]) continue;
    if (!was)
      return end(from.t, "'" + names[i] + "' has a derivative from here on, and no value before");
    const double nominal = from.system.nominal(static_cast<std::uint32_t>(i));
    const double jump = std::abs(from.x[i] - expected_[*was]);
    if (jump > noticeable * (options_.rtol * std::abs(from.x[i]) + options_.atol * nominal))
      return end(from.t, "'" + names[i] + "' jumps by " + to_text(from.x[i] - expected_[*was]) +
                             ", which no action does");
    for (std::size_t k = 0; k < p(); ++k)
      s[i * p() + k] = y_[*was * p() + k] - from.xdot[i] * tau_[k];
  }
  s_ = std::move(s);
  names_ = names;
  moved_.reset();
}

/// How far a parameter is moved for central differences; 0 if nothing moves with it. Errors are of the size of
/// eps^(2/3) where this moves something by eps^(1/3) of its size.
double ForwardSensitivities::Columns::step_of_differences(std::size_t column, double t,
                                                          std::span<const double> x) const {
  constexpr double part = 6e-6;
  double largest = std::abs(tau_[column]) / std::max(std::abs(t), 1.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, std::abs(y_[i * p() + column]) / (std::abs(x[i]) + nominal_[i]));
  return largest > 0 ? part / largest : 0.0;
}

/// By central differences of the whole restart, which contains maps, equations between limits, impulses and
/// consistency.
void ForwardSensitivities::Columns::changes_mode(const FollowedPoint& to, const MovedStart& moved) {
  if (ends_ || !at_instant_) return;
  settle_actions();
  const std::size_t n = expected_.size(), n_new = to.x.size();
  moved_.emplace(n_new * p(), 0.0);
  std::vector<double> dx(n);
  for (std::size_t k = 0; k < p(); ++k) {
    const double move = step_of_differences(k, to.t, expected_);
    if (move == 0) continue;
    std::optional<std::vector<double>> ends[2];
    for (int side = 0; side < 2; ++side) {
      const double by = side == 0 ? -move : move;
      for (std::size_t i = 0; i < n; ++i) dx[i] = by * y_[i * p() + k];
      ends[side] = moved(by * tau_[k], dx);
      if (!ends[side] || ends[side]->size() != n_new)
        return end(to.t, "which mode follows depends on '" + parameters_[k] + "'");
    }
    for (std::size_t i = 0; i < n_new; ++i)
      (*moved_)[i * p() + k] = ((*ends[1])[i] - (*ends[0])[i]) / (2 * move);
  }
}

void ForwardSensitivities::Columns::goes_on(const FollowedPoint& from, const std::string& segment) {
  catch_up();
  if (ends_) return;
  if (!recorder_) {
    begin(from);
  } else {
    if (!at_instant_) meets(from, {});
    carry_over(from);
  }
  at_instant_ = false;
  if (ends_) return;
  nominal_.clear();
  for (std::uint32_t i = 0; i < from.system.size(); ++i) nominal_.push_back(from.system.nominal(i));
  step_ = std::make_unique<detail::VariationalStep>(from.system, static_cast<std::uint32_t>(p()),
                                                    work_);
  step_size_ = last_length_ = 0.0;
  workspace_ = &from.workspace;
  auto here = detail::LinearisedPoint::at(from);
  starts_known_ = here.has_value();
  sdot_.assign(s_.size(), 0.0);
  if (here) here->complete(s_, sdot_, p());
  if (options_.at_events) near_misses_.begin(from, options_.rtol, options_.atol);
  begin_segment(from, segment);
}

void ForwardSensitivities::Columns::begin_segment(const FollowedPoint& from,
                                                  const std::string& segment) {
  settle_point();
  const VariableMap& map = from.system.variable_map();
  const auto n_variables = static_cast<std::uint32_t>(map.variables().size());
  unknown_of_.assign(n_variables, std::nullopt);
  computed_ =
      std::make_unique<detail::ComputedVariables>(from.system, static_cast<std::uint32_t>(p()));
  segment_ = segment;
  present_.assign(n_variables * p(), 0);
  std::vector<double> values(n_variables * p(), 0.0);
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    if (!map.present(v)) continue;
    unknown_of_[v] = map.unknown(v);
    if (!unknown_of_[v]) continue;
    for (std::size_t k = 0; k < p(); ++k) {
      present_[k * n_variables + v] = 1;
      values[k * n_variables + v] = s_[*unknown_of_[v] * p() + k];
    }
  }
  point_ = {from.t, std::move(values)};
}

/// What has no steps is a point, without computed variables: they may need S', which is known along steps.
void ForwardSensitivities::Columns::settle_point() {
  if (!point_) return;
  recorder_->begin_segment(segment_, point_->t, present_);
  recorder_->add_point(point_->values);
  point_.reset();
}

/// In tolerances; the largest over parameters of the root mean square over unknowns.
double ForwardSensitivities::Columns::error_norm(const System& system) const {
  double worst = 0.0;
  const auto carries = system.carries_derivative();
  for (std::size_t k = 0; k < p(); ++k) {
    double sum = 0.0;
    std::size_t n = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!carries[i]) continue;
      const std::size_t e = i * p() + k;
      const double size = std::max(std::abs(s_[e]), std::abs(step_->end()[e]));
      const double tolerance = options_.rtol * size + options_.atol * nominal_[i] / scale_[k];
      sum += std::pow(step_->error()[e] / tolerance, 2);
      ++n;
    }
    if (n > 0) worst = std::max(worst, std::sqrt(sum / static_cast<double>(n)));
  }
  return worst;
}

void ForwardSensitivities::Columns::follow(const System& system, Workspace& workspace,
                                           const StepPolynomial& piece) {
  if (ends_) return;
  if (options_.at_events) {
    if (const auto miss = near_misses_.along(piece)) return end_by(*miss);
  }
  const double length = std::abs(piece.t_right - piece.t_left);
  piece_length_ = std::max(length, last_length_);
  last_length_ = length;
  if (path_.empty()) t_ = piece.t_left;
  path_.add(piece);
  followed_ = &system;
  field_ = &workspace;
  slope_.resize(piece.n);
  piece.derivative_at(piece.t_right, slope_);
  constexpr std::size_t at_most = 64;  // pieces kept
  carry_along(path_.n_pieces() == at_most);
}

/// Steps of S as long as the path, or, to its end, the rest as well.
void ForwardSensitivities::Columns::carry_along(bool to_the_end) {
  constexpr double order = 4.0;  // of the estimate
  while (!ends_ && !path_.empty()) {
    const double whole = path_.t_end() - t_, left = std::abs(whole);
    if (step_size_ == 0) step_size_ = left;
    if (!to_the_end && step_size_ > left) return;
    // No sliver at the end.
    const bool reaches_end = step_size_ > 0.9 * left;
    const double t_to = reaches_end ? path_.t_end() : t_ + std::copysign(step_size_, whole);
    if (auto done = step_->take(*field_, path_, t_, t_to, s_); !done)
      return end(t_, done.failure().message);
    const double error = error_norm(*followed_);
    const double factor = 0.9 * std::pow(std::max(error, 1e-10), -1.0 / order);
    const double taken = std::abs(t_to - t_);
    ++(error > 1 ? work_.n_rejected_steps : work_.n_steps);
    if (error > 1) {
      step_size_ = taken * std::clamp(factor, 0.1, 0.8);
      if (step_size_ < 16 * std::numeric_limits<double>::epsilon() * std::abs(t_))
        return end(t_, "the steps of the variational equations become too small");
      continue;
    }
    record(t_, t_to);
    starts_known_ = true;
    s_.assign(step_->end().begin(), step_->end().end());
    // What was cut short at the end of the path says little about the next one.
    step_size_ = std::max(taken * std::clamp(factor, 0.2, 5.0), reaches_end ? step_size_ : 0.0);
    t_ = t_to;
    path_.forget_before(t_);
  }
}

void ForwardSensitivities::Columns::record(double t_from, double t_to) {
  const StepPolynomial s{t_from, t_to, 3, static_cast<std::uint32_t>(s_.size()),
                         step_->coefficients()};
  if (!computed_->any()) {
    show_columns(t_from);
    return record_piece(s, {t_from, t_to, 3, 0, {}});
  }
  computed_->fit(*workspace_, path_, s, options_.rtol, scale_);
  show_columns(t_from);
  if (const auto& missed = computed_->pieces().missed()) note_missed(*missed);
  for (std::size_t i = 0; i < computed_->pieces().n_pieces(); ++i)
    record_piece(s, computed_->pieces().piece(i));
}

/// A part of a step of S, with what is computed as it was fitted.
void ForwardSensitivities::Columns::record_piece(const StepPolynomial& s,
                                                 const StepPolynomial& computed) {
  const std::size_t n_variables = unknown_of_.size(), n = n_variables * p();
  const auto carries = followed_->carries_derivative();
  const int degree = std::max(s.degree, computed.degree);
  const auto n_coefficients = static_cast<std::size_t>(degree) + 1;
  recorded_.assign(n_coefficients * n, 0.0);
  for (std::uint32_t e = 0; e < computed.n; ++e) {
    const std::size_t to = e % p() * n_variables + computed_->variables()[e / p()];
    for (int k = 0; k <= computed.degree; ++k)
      recorded_[static_cast<std::size_t>(k) * n + to] = computed.coefficient(k, e);
  }
  std::vector<double> part(n_coefficients);
  for (std::size_t v = 0; v < n_variables; ++v) {
    for (std::size_t k = 0; unknown_of_[v] && k < p(); ++k) {
      const std::size_t e = *unknown_of_[v] * p() + k;
      std::array<double, 4> c;
      for (int i = 0; i < 4; ++i)
        c[static_cast<std::size_t>(i)] = s.coefficient(i, static_cast<std::uint32_t>(e));
      if (carries[*unknown_of_[v]] == 0 && starts_known_) c = through_start(c, s_[e]);
      detail::restrict_polynomial({s.t_left, s.t_right, 3, 1, c}, computed.t_left, computed.t_right,
                                  degree, 0, part);
      for (std::size_t i = 0; i < n_coefficients; ++i)
        recorded_[i * n + k * n_variables + v] = part[i];
    }
  }
  recorder_->add_step(
      {computed.t_left, computed.t_right, degree, static_cast<std::uint32_t>(n), recorded_});
}

/// Computed variables are there where they can be differentiated.
void ForwardSensitivities::Columns::show_columns(double t) {
  std::vector<std::uint8_t> present = present_;
  const auto variables = computed_->variables();
  for (std::size_t j = 0; j < variables.size(); ++j)
    for (std::size_t k = 0; k < p(); ++k)
      present[k * unknown_of_.size() + variables[j]] = computed_->known(j) ? 1 : 0;
  if (!point_ && present == present_) return;
  point_.reset();
  present_ = std::move(present);
  recorder_->begin_segment(segment_, t, present_);
}

/// A relation that has waited switches a fixed time after it switched last.
std::optional<std::vector<double>> ForwardSensitivities::Columns::derivatives_of_instant(
    double t, double earlier, const std::string& who) {
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  for (auto e = event_times_.rbegin(); e != event_times_.rend(); ++e) {
    if (std::abs(e->t - earlier) <= rounding * std::max(std::abs(t), std::abs(earlier)))
      return e->derivatives;
  }
  end(t, who + " has waited for the end of its dwell time, since a time whose motion is not known");
  return std::nullopt;
}

/// (Z.4); none if the derivative does not exist.
std::optional<std::vector<double>> ForwardSensitivities::Columns::time_derivatives(
    const FollowedPoint& left, const FollowedCrossing& crossing) {
  auto& functions = *left.workspace.ability<SwitchingFunctions>();
  const std::string who = "'" + functions.info(crossing.which).name + "'";
  std::vector<double> tau(p(), 0.0);
  if (crossing.waited_since) return derivatives_of_instant(left.t, *crossing.waited_since, who);
  if (functions.is_timed(crossing.which)) return tau;
  if (crossing.guarantee == Guarantee::marginal) {
    end(left.t, who + " is touched or hardly crossed");
    return std::nullopt;
  }
  const CscPattern& pattern = functions.gradient_pattern();
  std::vector<double> g(functions.count()), rate(functions.count());
  std::vector<double> gradient(static_cast<std::size_t>(pattern.nnz()));
  const detail::MotionAtEvent moving = motion();
  detail::FunctionAtEvent function(left, crossing.which, moving);
  const std::vector<double> x = function.on_surface();
  if (!functions.rates(left.t, x, slope_, g, rate) ||
      !functions.gradients(left.t, x, left.xdot, gradient)) {
    end(left.t, who + " has no derivatives");
    return std::nullopt;
  }
  if (functions.info(crossing.which).kind == SwitchKind::exit) {
    const auto exact = function.rate_along();
    if (exact) rate[crossing.which] = *exact;
  }
  double along = 0.0, terms = 0.0, size = 0.0;  // of one tolerance of all unknowns
  for (std::size_t i = 0; i < left.x.size(); ++i) {
    for (auto s = static_cast<std::size_t>(pattern.column_start[i]);
         s < static_cast<std::size_t>(pattern.column_start[i + 1]); ++s) {
      if (static_cast<std::uint32_t>(pattern.row[s]) != crossing.which) continue;
      along += gradient[s] * slope_[i];
      terms += std::abs(gradient[s] * slope_[i]);
      size += std::abs(gradient[s]) *
              (options_.rtol * std::abs(left.x[i]) + options_.atol * nominal_[i]);
      for (std::size_t k = 0; k < p(); ++k) tau[k] -= gradient[s] * s_[i * p() + k];
    }
  }
  terms += std::abs(rate[crossing.which] - along);
  const auto by_derivatives = function.rates_by_derivatives();
  if (!by_derivatives) {
    end(left.t, who + " contains derivatives whose own derivatives are not known");
    return std::nullopt;
  }
  for (std::size_t k = 0; k < p(); ++k) tau[k] -= (*by_derivatives)[k];
  rate[crossing.which] += by_derivatives->back();
  terms += std::abs(by_derivatives->back());
  if (!(std::abs(rate[crossing.which]) > grazing * terms)) {
    end(left.t, who + " is touched along a tangent: its time has no derivative");
    return std::nullopt;
  }
  if (const auto bend = function.curvature();
      bend &&
      std::abs(*bend) * detail::likely_error * size > unknown * std::pow(rate[crossing.which], 2)) {
    end(left.t, who +
                    " is crossed so flatly that its rate is not known: what the tolerance allows "
                    "changes it");
    return std::nullopt;
  }
  for (double& v : tau) v /= rate[crossing.which];
  return tau;
}

/// x' of all unknowns, and where they can be known S' and x''.
void ForwardSensitivities::Columns::look_around(const FollowedPoint& left) {
  const auto carries = left.system.carries_derivative();
  // What has no derivative in the equations has one along the solution.
  const bool has_slope = slope_.size() == left.x.size();
  slope_.resize(left.x.size());
  for (std::size_t i = 0; i < slope_.size(); ++i)
    if (carries[i] != 0 || !has_slope) slope_[i] = left.xdot[i];
  sdot_.assign(s_.size(), 0.0);
  bend_.assign(slope_.size(), 0.0);
  auto here = detail::LinearisedPoint::at(left);
  knows_rates_ = here.has_value();
  if (!here) return;
  here->complete(s_, sdot_, p());
  integrated_.assign(here->integrated().begin(), here->integrated().end());
  auto found = here->along_time(left, piece_length_);
  knows_rates_ = found.has_value();
  if (!found) return;
  slope_ = std::move(found->slope);
  bend_ = std::move(found->bend);
}

void ForwardSensitivities::Columns::meets(const FollowedPoint& left,
                                          std::span<const FollowedCrossing> crossings) {
  catch_up();
  if (ends_) return;
  at_instant_ = true;
  look_around(left);
  tau_.assign(p(), 0.0);
  y_ = s_;
  expected_.assign(left.x.begin(), left.x.end());
  std::optional<std::string> first;
  for (const FollowedCrossing& c : crossings) {
    if (c.only_flips || !options_.at_events) continue;
    const auto tau = time_derivatives(left, c);
    if (!tau) return;
    const std::string& name = left.workspace.ability<SwitchingFunctions>()->info(c.which).name;
    for (std::size_t k = 0; first && k < p(); ++k) {
      constexpr double same = 1e-6;
      if (std::abs((*tau)[k] - tau_[k]) > same * (std::abs(tau_[k]) + std::abs((*tau)[k])))
        return end(left.t, "'" + *first + "' and '" + name +
                               "' are crossed at the same time: which comes first depends on '" +
                               parameters_[k] + "'");
    }
    first = name;
    tau_ = *tau;
    event_times_.push_back({left.t, name, tau_});
  }
  for (std::size_t i = 0; i < left.x.size(); ++i)
    for (std::size_t k = 0; k < p(); ++k) y_[i * p() + k] += slope_[i] * tau_[k];
  if (std::ranges::any_of(tau_, [](double v) { return v != 0; })) find_rates(left);
}

void ForwardSensitivities::Columns::find_rates(const FollowedPoint& left) {
  rates_ = RatesBeforeEvent{left.t, std::vector<std::optional<double>>(unknown_of_.size())};
  for (std::size_t v = 0; v < unknown_of_.size(); ++v)
    if (unknown_of_[v]) rates_->of[v] = slope_[*unknown_of_[v]];
  if (!computed_->any()) return;
  const auto found = computed_->rates(left, motion());
  for (std::size_t j = 0; j < found.size(); ++j) rates_->of[computed_->variables()[j]] = found[j];
}

void ForwardSensitivities::Columns::note_missed(const detail::MissedFit& missed) {
  if (coarsest_ && !(missed.error / missed.tolerance > coarsest_in_tolerances_)) return;
  coarsest_in_tolerances_ = missed.error / missed.tolerance;
  const std::size_t v = computed_->variables()[missed.which / p()];
  coarsest_ = CoarseDerivative{Sensitivities::column(followed_->variable_map().variables()[v].name,
                                                     parameters_[missed.which % p()]),
                               missed.t, missed.error};
}

/// Derivatives of what an action sets when everything moves as the left limit does with a parameter: exactly where the
/// action is known by its expressions, else by central differences.
std::optional<std::vector<double>> ForwardSensitivities::Columns::values_along(
    EventActions& actions, std::uint32_t action, double t, std::span<const double> x,
    std::span<const double> xdot, std::size_t column) {
  const std::size_t n = actions.info(action).targets.size();
  std::vector<double> dx(x.size()), dxdot(x.size()), found(n, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    dx[i] = y_[i * p() + column];
    dxdot[i] = sdot_[i * p() + column] + bend_[i] * tau_[column];
  }
  auto* exact = dynamic_cast<ActionDirections*>(&actions);
  if (exact != nullptr && exact->along(action, t, x, xdot, {tau_[column], dx, dxdot}, found)) {
    if (std::ranges::any_of(found, [](double v) { return !std::isfinite(v); })) return std::nullopt;
    return found;
  }
  const double move = step_of_differences(column, t, x);
  if (move == 0) return found;
  std::vector<double> at(x.size()), rate(x.size()), down(n);
  const auto evaluate = [&](double by, std::vector<double>& out) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      at[i] = x[i] + by * dx[i];
      rate[i] = xdot[i] + by * dxdot[i];
    }
    return static_cast<bool>(actions.values(action, t + by * tau_[column], at, rate, out));
  };
  if (!evaluate(move, found) || !evaluate(-move, down)) return std::nullopt;
  for (std::size_t i = 0; i < n; ++i) found[i] = (found[i] - down[i]) / (2 * move);
  return found;
}

void ForwardSensitivities::Columns::acts(EventActions& actions, std::span<const std::uint32_t> due,
                                         double t, std::span<const double> x,
                                         std::span<const double> xdot) {
  if (ends_ || !at_instant_) return;
  settle_actions();
  for (const std::uint32_t action : due) {
    acts_one(actions, action, t, x, xdot);
    if (ends_) return;
  }
}

void ForwardSensitivities::Columns::acts_one(EventActions& actions, std::uint32_t action, double t,
                                             std::span<const double> x,
                                             std::span<const double> xdot) {
  const ActionInfo& info = actions.info(action);
  if (info.by_laws)
    return end(
        t, "'" + info.name + "' sets what laws of contact say, whose derivatives are not known");
  std::vector<double> values(info.targets.size());
  if (!actions.values(action, t, x, xdot, values)) return;  // the run says so
  std::vector<NewRow> rows(values.size());
  for (std::size_t k = 0; k < p(); ++k) {
    const auto along = values_along(actions, action, t, x, xdot, k);
    if (!along) return end(t, "'" + info.name + "' has no derivatives");
    for (std::size_t i = 0; i < along->size(); ++i) {
      if (!info.targets[i].is_unknown && (*along)[i] != 0)
        return end(t, "'" + info.target_names[i] + "' keeps a value that depends on '" +
                          parameters_[k] + "'");
      rows[i].derivatives.push_back((*along)[i]);
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!info.targets[i].is_unknown) continue;
    rows[i].unknown = info.targets[i].index;
    rows[i].value = values[i];
    rows[i].priority = info.priority;
    const auto other = std::ranges::find(new_rows_, rows[i].unknown, &NewRow::unknown);
    if (other == new_rows_.end()) {
      new_rows_.push_back(std::move(rows[i]));
    } else if (other->priority == info.priority && other->derivatives != rows[i].derivatives) {
      return end(t, "several actions set '" + info.target_names[i] +
                        "' to the same value, which depends on parameters in different ways");
    }
  }
}

void ForwardSensitivities::Columns::settle_actions() {
  for (const NewRow& row : new_rows_) {
    expected_[row.unknown] = row.value;
    for (std::size_t k = 0; k < p(); ++k) y_[row.unknown * p() + k] = row.derivatives[k];
  }
  new_rows_.clear();
}

Sensitivities ForwardSensitivities::Columns::take() {
  Trajectory derivatives;
  settle_point();
  if (recorder_) derivatives = recorder_->take();
  return {parameters_, std::move(derivatives), std::move(event_times_), std::move(ends_),
          work_,       std::move(coarsest_),   std::move(rates_)};
}

ForwardSensitivities::ForwardSensitivities(std::vector<std::string> parameters,
                                           SensitivityOptions options)
    : columns_(std::make_unique<Columns>(std::move(parameters), options)) {}
ForwardSensitivities::~ForwardSensitivities() = default;
void ForwardSensitivities::goes_on(const FollowedPoint& from, const std::string& segment) {
  columns_->goes_on(from, segment);
}
void ForwardSensitivities::piece(const System& system, Workspace& workspace,
                                 const StepPolynomial& piece) {
  columns_->follow(system, workspace, piece);
}
void ForwardSensitivities::hardly_misses(std::uint32_t which, double t) {
  columns_->hardly_misses(which, t);
}
void ForwardSensitivities::meets(const FollowedPoint& left,
                                 std::span<const FollowedCrossing> crossings) {
  columns_->meets(left, crossings);
}
void ForwardSensitivities::acts(EventActions& actions, std::span<const std::uint32_t> due, double t,
                                std::span<const double> x, std::span<const double> xdot) {
  columns_->acts(actions, due, t, x, xdot);
}
void ForwardSensitivities::changes_mode(const FollowedPoint& to, const MovedStart& moved) {
  columns_->changes_mode(to, moved);
}
void ForwardSensitivities::catch_up() { columns_->catch_up(); }
void ForwardSensitivities::breaks(double t, const std::string& why) {
  columns_->catch_up();
  columns_->end(t, why);
}
Sensitivities ForwardSensitivities::take() { return columns_->take(); }

}  // namespace saltus
