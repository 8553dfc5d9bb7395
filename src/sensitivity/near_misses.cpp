#include "sensitivity/near_misses.hpp"

#include <algorithm>
#include <cmath>

#include "sensitivity/likely_errors.hpp"

namespace saltus::detail {

void NearMisses::begin(const FollowedPoint& from, double rtol, double atol) {
  functions_ = from.workspace.ability<SwitchingFunctions>();
  rtol_ = rtol, atol_ = atol;
  nominal_.clear();
  for (std::uint32_t i = 0; i < from.system.size(); ++i) nominal_.push_back(from.system.nominal(i));
  if (functions_ == nullptr || functions_->count() == 0) {
    functions_ = nullptr;
    return;
  }
  away_.assign(functions_->count(), 0);
  gradient_.resize(static_cast<std::size_t>(functions_->gradient_pattern().nnz()));
  x_.assign(from.x.begin(), from.x.end());
  xdot_.assign(from.xdot.begin(), from.xdot.end());
  for (Rates* r : {&left_, &right_, &between_}) {
    r->g.assign(functions_->count(), 0.0);
    r->rate.assign(functions_->count(), 0.0);
  }
  if (!functions_->rates(from.t, x_, xdot_, left_.g, left_.rate)) functions_ = nullptr;
}

bool NearMisses::look(const StepPolynomial& piece, double t, Rates& at) {
  piece.state_at(t, x_);
  piece.derivative_at(t, xdot_);
  return static_cast<bool>(functions_->rates(t, x_, xdot_, at.g, at.rate));
}

bool NearMisses::find_bands(double t) {
  band_.assign(functions_->count(), 0.0);
  if (!functions_->gradients(t, x_, xdot_, gradient_)) return false;
  const CscPattern& p = functions_->gradient_pattern();
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double off = likely_error * (rtol_ * std::abs(x_[i]) + atol_ * nominal_[i]);
    for (auto s = static_cast<std::size_t>(p.column_start[i]);
         s < static_cast<std::size_t>(p.column_start[i + 1]); ++s)
      band_[static_cast<std::size_t>(p.row[s])] += std::abs(gradient_[s]) * off;
  }
  return true;
}

/// The value where the rate changes its sign, by the rule of false position with halved ends.
double NearMisses::nearest(const StepPolynomial& piece, std::uint32_t which, double& t) {
  double a = piece.t_left, b = piece.t_right;
  double at_a = left_.rate[which], at_b = right_.rate[which];
  double g = std::min(std::abs(left_.g[which]), std::abs(right_.g[which]));
  for (int i = 0; i < 8 && at_a != at_b; ++i) {
    const double between = a + (b - a) * at_a / (at_a - at_b);
    if (!look(piece, between, between_)) break;
    if (std::abs(between_.g[which]) < g) {
      g = std::abs(between_.g[which]);
      t = between;
    }
    const double rate = between_.rate[which];
    if (rate == 0) break;
    if ((rate > 0) == (at_b > 0)) {
      b = between, at_b = rate, at_a *= 0.5;
    } else {
      a = between, at_a = rate, at_b *= 0.5;
    }
  }
  return g;
}

std::optional<NearMiss> NearMisses::told(std::uint32_t which, double t) const {
  if (functions_ == nullptr || which >= away_.size() || away_[which] == 0) return std::nullopt;
  const SwitchInfo& info = functions_->info(which);
  if (info.kind != SwitchKind::relation && info.kind != SwitchKind::exit) return std::nullopt;
  return NearMiss{t, info.name};
}

std::optional<NearMiss> NearMisses::along(const StepPolynomial& piece) {
  if (functions_ == nullptr) return std::nullopt;
  if (!look(piece, piece.t_right, right_) || !find_bands(piece.t_right)) {
    functions_ = nullptr;
    return std::nullopt;
  }
  std::optional<NearMiss> found;
  for (std::uint32_t w = 0; w < functions_->count() && !found; ++w) {
    const SwitchKind kind = functions_->info(w).kind;
    if (kind != SwitchKind::relation && kind != SwitchKind::exit) continue;
    if (!functions_->is_active(w) || functions_->is_timed(w)) continue;
    const double before = left_.g[w], after = right_.g[w];
    // towards zero, and away from it again, in the direction of the run
    const double sense = piece.t_right >= piece.t_left ? 1.0 : -1.0;
    const bool turns = away_[w] != 0 && before * after > 0 && sense * left_.rate[w] * before < 0 &&
                       sense * right_.rate[w] * after > 0;
    if (std::abs(after) > band_[w]) away_[w] = 1;
    if (!turns) continue;
    double t = piece.t_right;
    const double g = nearest(piece, w, t);
    if (g <= band_[w]) found = NearMiss{t, functions_->info(w).name};
  }
  std::swap(left_, right_);
  return found;
}

}  // namespace saltus::detail
