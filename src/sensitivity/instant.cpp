#include "sensitivity/instant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/system/directions.hpp>

#include "sensitivity/event_time.hpp"
#include "sensitivity/linearised_point.hpp"

namespace saltus::detail {

namespace {

/// What is not explained by errors of integration and location has jumped.
constexpr double noticeable = 1000.0;

/// Per unknown, whether any equation depends on its value or the model knows it; of some only derivatives occur.
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
  const VariableMap& map = at.system.variable_map();
  for (std::uint32_t v = 0; v < map.variables().size(); ++v)
    if (const auto i = map.present(v) ? map.unknown(v) : std::nullopt) matters[*i] = 1;
  return matters;
}

/// a c = b for a matrix given by columns; false if that does not determine c.
bool solve_small(std::vector<std::vector<double>> a, std::vector<double>& b) {
  const std::size_t m = b.size();
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t best = k;
    for (std::size_t row = k + 1; row < m; ++row)
      if (std::abs(a[k][row]) > std::abs(a[k][best])) best = row;
    if (!(std::abs(a[k][best]) > 0)) return false;
    for (std::size_t col = 0; col < m; ++col) std::swap(a[col][k], a[col][best]);
    std::swap(b[k], b[best]);
    for (std::size_t row = k + 1; row < m; ++row) {
      const double by = a[k][row] / a[k][k];
      for (std::size_t col = k; col < m; ++col) a[col][row] -= by * a[col][k];
      b[row] -= by * b[k];
    }
  }
  for (std::size_t k = m; k-- > 0;) {
    for (std::size_t col = k + 1; col < m; ++col) b[k] -= a[col][k] * b[col];
    b[k] /= a[k][k];
  }
  return true;
}

}  // namespace

void Instant::comes_from(const StepPolynomial& piece, double length) {
  piece_length_ = length;
  sense_ = piece.t_right < piece.t_left ? -1.0 : 1.0;
  slope_.resize(piece.n);
  piece.derivative_at(piece.t_right, slope_);
  has_slopes_ = true;
  is_open_ = false;
  expected_.resize(piece.n);
  piece.state_at(piece.t_right, expected_);
}

void Instant::open(std::span<const double> x) {
  is_open_ = true;
  what_.clear();
  tau_.assign(columns_.p(), 0.0);
  y_ = read_y_ = columns_.s;
  if (!x.empty()) expected_.assign(x.begin(), x.end());
  after_search_ = was_set_ = all_known_ = false;
}

void Instant::begins(const FollowedPoint& at, bool all_known) {
  open(at.x);
  all_known_ = all_known;
  what_ = "the start of the run";
}

/// (Z.6) with S = Y - x' tau for what is integrated; what follows from it gets its Y from there.
void Instant::look_at(const FollowedPoint& at) {
  const std::size_t p = columns_.p(), n = at.x.size();
  const auto carries = at.system.carries_derivative();
  // What has no derivative in the equations has one along the solution, on its left.
  const bool has_slopes = has_slopes_ && slope_.size() == n;
  slope_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    if (carries[i] != 0 || !has_slopes) slope_[i] = carries[i] != 0 ? at.xdot[i] : 0.0;
  has_slopes_ = false;
  looked_at_.emplace(FollowedPoint{at.system, at.workspace, at.t, {}, {}});
  sdot_.assign(n * p, 0.0);
  bend_.assign(n, 0.0);
  auto here = LinearisedPoint::at(at);
  knows_rates_ = follows_ = here.has_value();
  if (here) {
    integrated_.assign(here->integrated().begin(), here->integrated().end());
    const double time_scale = piece_length_ > 0 ? piece_length_ : 1.0;
    auto along = here->along_time(at, time_scale);
    knows_rates_ = along.has_value();
    if (along) {
      slope_ = std::move(along->slope);
      bend_ = std::move(along->bend);
    }
  }
  s_.resize(n * p);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < p; ++k) s_[i * p + k] = read_y_[i * p + k] - slope_[i] * tau_[k];
  if (!here) return;
  here->complete(s_, sdot_, p);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; integrated_[i] == 0 && k < p; ++k)
      read_y_[i * p + k] = s_[i * p + k] + slope_[i] * tau_[k];
}

void Instant::meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
                    const std::function<bool(std::uint32_t which)>& matters) {
  const std::size_t p = columns_.p();
  const bool is_new = !is_open_;
  if (is_new) {
    open(left.x);
  } else {
    expected_.assign(left.x.begin(), left.x.end());
    after_search_ = was_set_ = false;
    read_y_ = y_;
  }
  look_at(left);
  columns_.s = s_;
  if (!find_times(left, crossings, is_new) || !find_order(left, crossings, matters)) return;
  for (std::size_t i = 0; is_new && i < left.x.size(); ++i)
    for (std::size_t k = 0; k < p; ++k) read_y_[i * p + k] += slope_[i] * tau_[k];
  y_ = read_y_;
}

bool Instant::moves() const {
  return std::ranges::any_of(tau_, [](double v) { return v != 0; });
}

/// A relation that has waited switches a fixed time after it switched last.
std::optional<std::vector<double>> Instant::time_of(const FollowedPoint& left,
                                                    const FollowedCrossing& crossing) {
  if (!crossing.waited_since) return time_derivatives(columns_, left, crossing, motion());
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  const double since = *crossing.waited_since;
  const double allowed = rounding * std::max(std::abs(left.t), std::abs(since));
  for (auto e = event_times_.rbegin(); e != event_times_.rend(); ++e)
    if (std::abs(e->t - since) <= allowed) return e->derivatives;
  columns_.end(
      left.t,
      "'" + left.workspace.ability<SwitchingFunctions>()->info(crossing.which).name +
          "' has waited for the end of its dwell time, since a time whose derivative is not known");
  return std::nullopt;
}

/// One time for all that happens; false if there is none.
bool Instant::find_times(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
                         bool is_new) {
  bool is_known = !is_new;
  for (const FollowedCrossing& c : crossings) {
    if ((c.only_flips && !c.matters_first) || !columns_.options.at_events) continue;
    const auto tau = time_of(left, c);
    if (!tau) return false;
    const std::string name =
        "'" + left.workspace.ability<SwitchingFunctions>()->info(c.which).name + "'";
    for (std::size_t k = 0; is_known && k < columns_.p(); ++k) {
      constexpr double same = 1e-6;
      if (std::abs((*tau)[k] - tau_[k]) <= same * (std::abs(tau_[k]) + std::abs((*tau)[k])))
        continue;
      columns_.end(left.t, (what_.empty() ? "another event" : what_) + " and " + name +
                               " fall on the same time: their order depends on '" +
                               columns_.parameters[k] + "'");
      return false;
    }
    if (!c.only_flips) event_times_.push_back({left.t, name.substr(1, name.size() - 2), *tau});
    if (!is_known) tau_ = *tau;
    is_known = true;
    what_ = name;
  }
  return true;
}

/// Of what crosses here and what would cross soon, errors may have changed the order. False if that matters.
bool Instant::find_order(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
                         const std::function<bool(std::uint32_t which)>& matters) {
  if (crossings.empty() || !columns_.options.at_events) return true;
  const NextCrossings next(columns_, left, motion(), sense_);
  double error = 0.0;
  for (const FollowedCrossing& c : crossings)
    if (!c.waited_since) error = std::max(error, next.error_of_time(c.which));
  for (const std::uint32_t which : next.within(error)) {
    const auto crosses = std::ranges::find(crossings, which, &FollowedCrossing::which);
    if (crosses != crossings.end()) continue;
    const FunctionMotion g = motion_of(columns_, left, which, motion());
    for (std::size_t k = 0; g.missing.empty() && k < columns_.p(); ++k) {
      const double same = std::max(1e-6, 1e3 * columns_.options.rtol);
      const double tau = -g.moved[k] / g.rate;
      if (std::abs(tau - tau_[k]) <= same * (std::abs(tau_[k]) + std::abs(tau))) continue;
      if (!matters(which)) break;
      const double apart = next.until(which);
      const double factor = std::ceil((error + next.error_of_time(which)) / apart);
      columns_.end(
          left.t,
          (what_.empty() ? "an event" : what_) + " and '" +
              left.workspace.ability<SwitchingFunctions>()->info(which).name +
              "' are too close together for their order to be certain, and the order depends on '" +
              columns_.parameters[k] + "'" +
              (factor < 1e6 ? "; derivatives need tolerances that are smaller by "
                              "a factor of " +
                                  to_text(factor)
                            : std::string()));
      return false;
    }
  }
  return true;
}

void Instant::settles(const FollowedPoint& now) {
  if (!is_open_) return;
  read_y_ = y_;
  look_at(now);
  after_search_ = true;
  was_set_ = false;
}

/// How far a parameter is moved for central differences; 0 if nothing moves with it. Errors are of the size of
/// eps^(2/3) where this moves something by eps^(1/3) of its size.
double Instant::step_of_differences(std::size_t column, double t, std::span<const double> x,
                                    std::span<const double> y) const {
  constexpr double part = 6e-6;
  double largest = std::abs(tau_[column]) / std::max(std::abs(t), 1.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(
        largest, std::abs(y[i * columns_.p() + column]) / (std::abs(x[i]) + columns_.nominal[i]));
  return largest > 0 ? part / largest : 0.0;
}

/// Derivatives of what an action sets when everything it reads moves with a parameter: exactly where the action is known
/// by its expressions, else by central differences.
std::optional<std::vector<double>> Instant::values_along(EventActions& actions,
                                                         std::uint32_t action, double t,
                                                         std::span<const double> x,
                                                         std::span<const double> xdot,
                                                         std::size_t column) {
  const std::size_t n = actions.info(action).targets.size(), p = columns_.p();
  std::vector<double> dx(x.size()), dxdot(x.size()), found(n, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    dx[i] = read_y_[i * p + column];
    dxdot[i] = sdot_[i * p + column] + bend_[i] * tau_[column];
  }
  auto* exact = dynamic_cast<ActionDirections*>(&actions);
  if (exact != nullptr && exact->along(action, t, x, xdot, {tau_[column], dx, dxdot}, found)) {
    if (std::ranges::any_of(found, [](double v) { return !std::isfinite(v); })) return std::nullopt;
    return found;
  }
  std::ranges::fill(found, 0.0);
  const double move = step_of_differences(column, t, x, read_y_);
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

/// Whether its values depend on x', or after a search on unknowns that follow from others.
bool Instant::reads_unknown(EventActions& actions, std::uint32_t action, double t,
                            std::span<const double> x, std::span<const double> xdot) const {
  constexpr double part = 1e-3;
  const std::size_t n = actions.info(action).targets.size();
  const auto carries = looked_at_->system.carries_derivative();
  std::vector<double> at(x.begin(), x.end()), rate(xdot.begin(), xdot.end()), here(n), there(n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    rate[i] += part * (std::abs(rate[i]) + columns_.nominal[i]);
    if (after_search_ && carries[i] == 0) at[i] += part * (std::abs(at[i]) + columns_.nominal[i]);
  }
  return !actions.values(action, t, x, xdot, here) || !actions.values(action, t, at, rate, there) ||
         here != there;
}

void Instant::acts(EventActions& actions, std::span<const FollowedAction> together, double t,
                   std::span<const double> x, std::span<const double> xdot) {
  if (!is_open_ || !looked_at_) return;
  // Set to what they were, but moving: what follows from them has not been searched for.
  if (was_set_ && looked_at_->system.size() == x.size())
    settles({looked_at_->system, looked_at_->workspace, t, x, xdot});
  std::vector<NewRow> rows;
  for (const FollowedAction& followed : together)
    if (!add_rows(actions, followed, t, x, xdot, rows)) return;
  for (const NewRow& row : rows) {
    expected_[row.unknown] = row.value;
    for (std::size_t k = 0; k < columns_.p(); ++k)
      y_[row.unknown * columns_.p() + k] = row.derivatives[k];
  }
  was_set_ = true;
  all_known_ = false;
}

bool Instant::add_rows(EventActions& actions, const FollowedAction& followed, double t,
                       std::span<const double> x, std::span<const double> xdot,
                       std::vector<NewRow>& rows) {
  const std::uint32_t action = followed.action;
  const ActionInfo& info = actions.info(action);
  const auto refuse = [&](std::string why) {
    columns_.end(t, std::move(why));
    return false;
  };
  if (info.by_laws)
    return refuse((event_times_.empty() || event_times_.back().t != t
                       ? std::string("here")
                       : "'" + event_times_.back().relation + "': from here on") +
                  " contact laws decide, whose derivatives are not known. Ask for earlier "
                  "times, or write the impact as a when-clause that sets the velocity v to "
                  "-e * pre(v) where the gap becomes negative");
  if (std::ranges::count(followed.sets, 1) == 0) return true;
  if (!knows_rates_ && reads_unknown(actions, action, t, x, xdot))
    return refuse("'" + info.name +
                  "' reads derivatives, or results of an event before it, whose own derivatives "
                  "are not known");
  std::vector<double> values(info.targets.size());
  if (!actions.values(action, t, x, xdot, values)) return false;  // the run says so
  std::vector<NewRow> own;
  for (std::size_t i = 0; i < info.targets.size(); ++i)
    own.push_back({info.targets[i].index, values[i], info.name, {}});
  for (std::size_t k = 0; k < columns_.p(); ++k) {
    const auto along = values_along(actions, action, t, x, xdot, k);
    if (!along) return refuse("'" + info.name + "' has no derivatives");
    for (std::size_t i = 0; i < along->size(); ++i) {
      if (!info.targets[i].is_unknown && followed.sets[i] != 0 && (*along)[i] != 0)
        return refuse("'" + info.target_names[i] + "' keeps a value that depends on '" +
                      columns_.parameters[k] + "'");
      own[i].derivatives.push_back((*along)[i]);
    }
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!info.targets[i].is_unknown || followed.sets[i] == 0) continue;
    const auto rival = std::ranges::find(rows, own[i].unknown, &NewRow::unknown);
    if (rival == rows.end()) {
      rows.push_back(std::move(own[i]));
      continue;
    }
    for (std::size_t k = 0; k < columns_.p(); ++k) {
      constexpr double same = 1e-6;
      const double one = own[i].derivatives[k], other = rival->derivatives[k];
      if (std::abs(one - other) > same * (std::abs(one) + std::abs(other)))
        return refuse("'" + rival->action + "' and '" + info.name + "' both set '" +
                      info.target_names[i] + "', to the same value here only: it depends on '" +
                      columns_.parameters[k] + "'");
    }
  }
  return true;
}

/// By central differences of the whole restart, which contains maps, equations between limits, impulses and
/// consistency.
void Instant::changes_mode(const FollowedPoint& to, const MovedStart& moved) {
  if (!is_open_) return;
  const std::size_t n = expected_.size(), n_new = to.x.size(), p = columns_.p();
  std::vector<double> y(n_new * p, 0.0), dx(n);
  for (std::size_t k = 0; k < p; ++k) {
    const double move = step_of_differences(k, to.t, expected_, y_);
    if (move == 0) continue;
    std::optional<std::vector<double>> ends[2];
    for (int side = 0; side < 2; ++side) {
      const double by = side == 0 ? -move : move;
      for (std::size_t i = 0; i < n; ++i) dx[i] = by * y_[i * p + k];
      ends[side] = moved(by * tau_[k], dx);
      if (!ends[side] || ends[side]->size() != n_new)
        return columns_.end(to.t, "with another '" + columns_.parameters[k] +
                                      "' the mode that follows can be a different one");
    }
    for (std::size_t i = 0; i < n_new; ++i)
      y[i * p + k] = ((*ends[1])[i] - (*ends[0])[i]) / (2 * move);
  }
  y_ = read_y_ = std::move(y);
  expected_.assign(to.x.begin(), to.x.end());
  columns_.names = names_of(to.system);
  columns_.nominal = nominals_of(to.system);
  looked_at_.reset();
  after_search_ = was_set_ = all_known_ = false;
}

/// The point may move off surfaces that the solution has not come through. From either side it comes back to them at once,
/// on a way along which only the motions across them differ: Y gets what leads back.
void Instant::keeps_to(const FollowedPoint& at, std::span<const KeptSurface> surfaces,
                       bool by_itself) {
  if (!is_open_ || !columns_.options.at_events) return;
  const std::size_t p = columns_.p(), m = surfaces.size();
  read_y_ = y_;
  look_at(at);
  const std::vector<double> before = std::exchange(columns_.s, s_);
  std::vector<FunctionMotion> functions;
  for (const KeptSurface& surface : surfaces)
    functions.push_back(motion_of(columns_, at, surface.which, motion()));
  columns_.s = before;
  const auto carries = at.system.carries_derivative();
  for (std::size_t k = 0; k < p; ++k) {
    std::vector<double> off;
    bool any = false;
    for (std::size_t j = 0; j < m; ++j) {
      const std::string& name =
          at.workspace.ability<SwitchingFunctions>()->info(surfaces[j].which).name;
      if (!functions[j].missing.empty())
        return columns_.end(at.t, "'" + name + "' " + functions[j].missing);
      off.push_back(functions[j].moved_off(k, tau_[k]));
      any = any || off.back() != 0;
    }
    if (!any) continue;
    std::vector<std::vector<double>> rates;
    for (const KeptSurface& surface : surfaces) rates.push_back(surface.rates);
    if (!by_itself || !solve_small(rates, off))
      return columns_.end(at.t,
                          "motion begins on surfaces that are not crossed, and the derivative of "
                          "this start with respect to '" +
                              columns_.parameters[k] + "' is not known");
    for (std::size_t i = 0; i < at.x.size(); ++i)
      for (std::size_t j = 0; carries[i] != 0 && j < m; ++j)
        y_[i * p + k] -= surfaces[j].across[i] * off[j];
  }
}

/// (Z.5), by names of unknowns: Y of what goes on. What has none begins with 0.
std::vector<double> Instant::rows_of(const FollowedPoint& to) {
  const std::size_t p = columns_.p();
  const auto names = names_of(to.system);
  const auto carries = to.system.carries_derivative();
  std::vector<std::uint8_t> matters;  // found where it has to be known
  const auto is_without = [&](std::size_t i) {
    if (matters.empty()) matters = matter_by_value(to);
    return matters[i] == 0;
  };
  std::vector<double> y(names.size() * p, 0.0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto was = i < columns_.names.size() && names[i] == columns_.names[i]
                         ? std::optional<std::size_t>(i)
                         : place_of(columns_.names, names[i]);
    for (std::size_t k = 0; was && k < p; ++k) y[i * p + k] = y_[*was * p + k];
    if (!carries[i]) continue;
    if (!was) {
      if (is_without(i)) continue;
      columns_.end(to.t, "'" + names[i] + "' has a derivative from here on, and no value before");
      return y;
    }
    const double nominal = to.system.nominal(static_cast<std::uint32_t>(i));
    const double jump = std::abs(to.x[i] - expected_[*was]);
    const double allowed =
        noticeable * (columns_.options.rtol * std::abs(to.x[i]) + columns_.options.atol * nominal);
    if (jump <= allowed || is_without(i)) continue;
    columns_.end(to.t, "'" + names[i] + "' jumps by " + to_text(to.x[i] - expected_[*was]) +
                           ", but no action sets it");
    return y;
  }
  return y;
}

/// Where constraints hold between unknowns with derivatives, these have to move along them.
void Instant::refuse_hidden_jumps(const FollowedPoint& at, std::span<const double> carried) {
  constexpr double part = 1e-4;
  const std::size_t p = columns_.p();
  const auto carries = at.system.carries_derivative();
  for (std::size_t i = 0; follows_ && i < at.x.size(); ++i) {
    for (std::size_t k = 0; carries[i] != 0 && integrated_[i] == 0 && k < p; ++k) {
      const double one = carried[i * p + k], other = read_y_[i * p + k];
      const double size = std::abs(one) + std::abs(other) + std::abs(slope_[i] * tau_[k]) +
                          columns_.nominal[i] / columns_.scale[k];
      if (std::abs(one - other) > part * size)
        return columns_.end(at.t, "'" + columns_.names[i] +
                                      "' would jump with a slightly different '" +
                                      columns_.parameters[k] + "'");
    }
  }
}

bool Instant::leave(const FollowedPoint& to) {
  if (!is_open_) open({});
  const std::size_t n_before = columns_.names.size();
  y_ = read_y_ = rows_of(to);
  if (columns_.ends) return false;
  columns_.names = names_of(to.system);
  columns_.nominal = nominals_of(to.system);
  expected_.assign(to.x.begin(), to.x.end());
  has_slopes_ = false;
  look_at(to);
  refuse_hidden_jumps(to, y_);
  y_ = read_y_;
  columns_.s = s_;
  after_search_ = was_set_ = false;
  return follows_ || (all_known_ && n_before == columns_.names.size());
}

/// It would go on from the other side, and from there to another solution.
void Instant::stands_on(const FollowedPoint& at, std::uint32_t which,
                        const std::function<bool()>& matters) {
  if (!is_open_ || !columns_.options.at_events) return;
  const FunctionMotion g = motion_of(columns_, at, which, motion());
  if (!g.missing.empty() || std::abs(g.value) > g.rounding) return;
  for (std::size_t k = 0; k < columns_.p(); ++k) {
    if (g.moved_off(k, tau_[k]) == 0) continue;
    if (!matters()) return;
    return columns_.end(at.t, "the solution begins on the surface of '" +
                                  at.workspace.ability<SwitchingFunctions>()->info(which).name +
                                  "': on which side it begins depends on '" +
                                  columns_.parameters[k] + "'");
  }
}

}  // namespace saltus::detail
