#include "sensitivity/instant.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <saltus/core/text.hpp>

#include "sensitivity/event_time.hpp"
#include "sensitivity/linearised_point.hpp"

namespace saltus::detail {

namespace {

/// What is not explained by errors of integration and location has jumped.
constexpr double noticeable = 1000.0;

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

}  // namespace

/// x' of all unknowns, and where they can be known S' and x''.
void Instant::look_around(const FollowedPoint& left) {
  const auto carries = left.system.carries_derivative();
  // What has no derivative in the equations has one along the solution.
  const bool has_slope = slope_.size() == left.x.size();
  slope_.resize(left.x.size());
  for (std::size_t i = 0; i < slope_.size(); ++i)
    if (carries[i] != 0 || !has_slope) slope_[i] = left.xdot[i];
  sdot_.assign(columns_.s.size(), 0.0);
  bend_.assign(slope_.size(), 0.0);
  auto here = LinearisedPoint::at(left);
  knows_rates_ = here.has_value();
  if (!here) return;
  here->complete(columns_.s, sdot_, columns_.p());
  integrated_.assign(here->integrated().begin(), here->integrated().end());
  auto found = here->along_time(left, piece_length_);
  knows_rates_ = found.has_value();
  if (!found) return;
  slope_ = std::move(found->slope);
  bend_ = std::move(found->bend);
}

void Instant::comes_from(const StepPolynomial& piece, double length) {
  piece_length_ = length;
  slope_.resize(piece.n);
  piece.derivative_at(piece.t_right, slope_);
}

void Instant::meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings) {
  const std::size_t p = columns_.p();
  is_open_ = true;
  system_ = &left.system;
  workspace_ = &left.workspace;
  look_around(left);
  tau_.assign(p, 0.0);
  y_ = columns_.s;
  expected_.assign(left.x.begin(), left.x.end());
  const MotionAtEvent motion{columns_.nominal, slope_, piece_length_, p,
                             knows_rates_,     bend_,  sdot_,         integrated_};
  std::optional<std::string> first;
  for (const FollowedCrossing& c : crossings) {
    if (c.only_flips || !columns_.options.at_events) continue;
    const auto tau = time_derivatives(columns_, left, c, motion);
    if (!tau) return;
    const std::string& name = left.workspace.ability<SwitchingFunctions>()->info(c.which).name;
    for (std::size_t k = 0; first && k < p; ++k) {
      constexpr double same = 1e-6;
      if (std::abs((*tau)[k] - tau_[k]) > same * (std::abs(tau_[k]) + std::abs((*tau)[k])))
        return columns_.end(left.t,
                            "'" + *first + "' and '" + name +
                                "' are crossed at the same time: which comes first depends on '" +
                                columns_.parameters[k] + "'");
    }
    first = name;
    tau_ = *tau;
    event_times_.push_back({left.t, name, tau_});
  }
  for (std::size_t i = 0; i < left.x.size(); ++i)
    for (std::size_t k = 0; k < p; ++k) y_[i * p + k] += slope_[i] * tau_[k];
  read_x_.assign(left.x.begin(), left.x.end());
  read_xdot_.assign(left.xdot.begin(), left.xdot.end());
  read_y_ = y_;
  after_search_ = false;
}

/// Actions have been carried out, and a search has found consistent values: others are read now.
void Instant::look_again(double t, std::span<const double> x, std::span<const double> xdot) {
  settle_actions();
  read_x_.assign(x.begin(), x.end());
  read_xdot_.assign(xdot.begin(), xdot.end());
  read_y_ = y_;
  after_search_ = true;
  sdot_.assign(y_.size(), 0.0);
  bend_.assign(x.size(), 0.0);
  knows_rates_ = false;
  move_through_search({*system_, *workspace_, t, x, xdot});
}

/// (Z.6) with S = Y - x' dt*/dp on the right, as (Z.5) says, for what is integrated.
void Instant::move_through_search(const FollowedPoint& now) {
  // What the search finds is exact to rounding, if the equations are still those that it was made with.
  constexpr double same_equations = 1e-8;
  auto here = LinearisedPoint::at(now);
  if (!here || here->distance() > same_equations) return;
  const auto along = here->along_time(now, piece_length_);
  if (!along) return;
  const std::size_t p = columns_.p();
  std::vector<double> s = read_y_;
  for (std::size_t i = 0; i < now.x.size(); ++i)
    for (std::size_t k = 0; k < p; ++k) s[i * p + k] -= along->slope[i] * tau_[k];
  here->complete(s, sdot_, p);
  for (std::size_t i = 0; i < now.x.size(); ++i)
    for (std::size_t k = 0; k < p; ++k)
      read_y_[i * p + k] = s[i * p + k] + along->slope[i] * tau_[k];
  bend_ = along->bend;
  knows_rates_ = true;
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

/// Values of an action and their derivatives when everything it reads moves with a parameter.
std::optional<std::vector<Instant::Along>> Instant::values_along(EventActions& actions,
                                                                 std::uint32_t action, double t,
                                                                 std::span<const double> x,
                                                                 std::span<const double> xdot,
                                                                 std::size_t column) {
  const std::size_t n = actions.info(action).targets.size();
  const double move = step_of_differences(column, t, x, read_y_);
  std::vector<double> at(x.begin(), x.end()), rate(xdot.begin(), xdot.end());
  std::vector<double> up(n), down(n), here(n);
  const auto evaluate = [&](double by, std::vector<double>& out) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      at[i] = x[i] + by * read_y_[i * columns_.p() + column];
      rate[i] = xdot[i] + by * (sdot_[i * columns_.p() + column] + bend_[i] * tau_[column]);
    }
    return static_cast<bool>(actions.values(action, t + by * tau_[column], at, rate, out));
  };
  if (!evaluate(0.0, here) || !evaluate(move, up) || !evaluate(-move, down)) return std::nullopt;
  std::vector<Along> found;
  for (std::size_t i = 0; i < n; ++i)
    found.push_back({here[i], move > 0 ? (up[i] - down[i]) / (2 * move) : 0.0});
  return found;
}

/// Whether its values depend on x', or after a search on unknowns that follow from others.
bool Instant::reads_unknown(EventActions& actions, std::uint32_t action, double t,
                            std::span<const double> x, std::span<const double> xdot) const {
  constexpr double part = 1e-3;
  const std::size_t n = actions.info(action).targets.size();
  const auto carries = system_->carries_derivative();
  std::vector<double> at(x.begin(), x.end()), rate(xdot.begin(), xdot.end()), here(n), there(n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    rate[i] += part * (std::abs(rate[i]) + columns_.nominal[i]);
    if (after_search_ && carries[i] == 0) at[i] += part * (std::abs(at[i]) + columns_.nominal[i]);
  }
  return !actions.values(action, t, x, xdot, here) || !actions.values(action, t, at, rate, there) ||
         here != there;
}

void Instant::acts(EventActions& actions, std::uint32_t action, double t, std::span<const double> x,
                   std::span<const double> xdot) {
  if (!is_open_) return;
  if (!std::ranges::equal(x, read_x_) || !std::ranges::equal(xdot, read_xdot_))
    look_again(t, x, xdot);
  const ActionInfo& info = actions.info(action);
  if (info.by_laws)
    return columns_.end(t, (event_times_.empty() || event_times_.back().t != t
                                ? std::string("here")
                                : "'" + event_times_.back().relation + "': from here on") +
                               " laws of contact decide, whose derivatives are not known. Ask for "
                               "earlier times, or write the impact as a when-clause that sets the "
                               "velocity, m.when(gap < 0.0, {{v, -e * pre(v)}})");
  if (!knows_rates_ && reads_unknown(actions, action, t, x, xdot))
    return columns_.end(t,
                        "'" + info.name +
                            "' reads derivatives, or what follows from an event before it, whose "
                            "own derivatives are not known");
  std::vector<NewRow> rows;
  for (std::size_t k = 0; k < columns_.p(); ++k) {
    const auto along = values_along(actions, action, t, x, xdot, k);
    if (!along) return columns_.end(t, "'" + info.name + "' has no derivatives");
    for (std::size_t i = 0; i < along->size(); ++i) {
      const ActionTarget& target = info.targets[i];
      if (!target.is_unknown) {
        if ((*along)[i].slope != 0)
          return columns_.end(t, "'" + info.target_names[i] + "' keeps a value that depends on '" +
                                     columns_.parameters[k] + "'");
        continue;
      }
      if (k == 0) rows.push_back({target.index, (*along)[i].value, {}});
      for (NewRow& row : rows) {
        if (row.unknown == target.index) row.derivatives.push_back((*along)[i].slope);
      }
    }
  }
  new_rows_.insert(new_rows_.end(), rows.begin(), rows.end());
}

void Instant::settle_actions() {
  for (const NewRow& row : new_rows_) {
    expected_[row.unknown] = row.value;
    for (std::size_t k = 0; k < columns_.p(); ++k)
      y_[row.unknown * columns_.p() + k] = row.derivatives[k];
  }
  new_rows_.clear();
}

/// By central differences of the whole restart, which contains maps, equations between limits, impulses and
/// consistency.
void Instant::changes_mode(const FollowedPoint& to, const MovedStart& moved) {
  if (!is_open_) return;
  settle_actions();
  const std::size_t n = expected_.size(), n_new = to.x.size();
  moved_.emplace(n_new * columns_.p(), 0.0);
  std::vector<double> dx(n);
  for (std::size_t k = 0; k < columns_.p(); ++k) {
    const double move = step_of_differences(k, to.t, expected_, y_);
    if (move == 0) continue;
    std::optional<std::vector<double>> ends[2];
    for (int side = 0; side < 2; ++side) {
      const double by = side == 0 ? -move : move;
      for (std::size_t i = 0; i < n; ++i) dx[i] = by * y_[i * columns_.p() + k];
      ends[side] = moved(by * tau_[k], dx);
      if (!ends[side] || ends[side]->size() != n_new)
        return columns_.end(to.t, "which mode follows depends on '" + columns_.parameters[k] + "'");
    }
    for (std::size_t i = 0; i < n_new; ++i)
      (*moved_)[i * columns_.p() + k] = ((*ends[1])[i] - (*ends[0])[i]) / (2 * move);
  }
}

/// (Z.5), by names of unknowns.
void Instant::leave(const FollowedPoint& from) {
  settle_actions();
  is_open_ = false;
  const auto moved = std::exchange(moved_, std::nullopt);
  const auto names = names_of(from.system);
  const auto carries = from.system.carries_derivative();
  std::vector<std::uint8_t> matters;  // found where a name is new
  std::vector<double> s(names.size() * columns_.p(), 0.0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto was = i < columns_.names.size() && names[i] == columns_.names[i]
                         ? std::optional<std::size_t>(i)
                         : place_of(columns_.names, names[i]);
    if (!carries[i]) {
      for (std::size_t k = 0; was && k < columns_.p(); ++k)
        s[i * columns_.p() + k] = y_[*was * columns_.p() + k];
      continue;
    }
    if (moved) {
      for (std::size_t k = 0; k < columns_.p(); ++k)
        s[i * columns_.p() + k] = (*moved)[i * columns_.p() + k] - from.xdot[i] * tau_[k];
      continue;
    }
    if (!was && matters.empty()) matters = matter_by_value(from);
    if (!was && !matters[i]) continue;
    if (!was)
      return columns_.end(from.t,
                          "'" + names[i] + "' has a derivative from here on, and no value before");
    const double nominal = from.system.nominal(static_cast<std::uint32_t>(i));
    const double jump = std::abs(from.x[i] - expected_[*was]);
    if (jump > noticeable *
                   (columns_.options.rtol * std::abs(from.x[i]) + columns_.options.atol * nominal))
      return columns_.end(from.t, "'" + names[i] + "' jumps by " +
                                      to_text(from.x[i] - expected_[*was]) +
                                      ", which no action does");
    for (std::size_t k = 0; k < columns_.p(); ++k)
      s[i * columns_.p() + k] = y_[*was * columns_.p() + k] - from.xdot[i] * tau_[k];
  }
  columns_.s = std::move(s);
  columns_.names = names;
}

}  // namespace saltus::detail
