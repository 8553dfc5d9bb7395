#include "slide/dae/exact_point.hpp"

#include <algorithm>

namespace saltus::detail {

ExactPoint::ExactPoint(const System& system, Workspace& workspace, const MixedLayout& layout,
                       BaseAtSides& base, const MixedPoint& point)
    : workspace_(workspace),
      layout_(layout),
      base_(base),
      point_(point),
      states_kept_(system),
      known_(n_known_) {}

Evaluation ExactPoint::find(double t, std::span<const double> x, std::span<const double> xdot,
                            Accuracy accuracy) {
  x_.assign(x.begin(), x.end());
  xdot_.assign(xdot.begin(), xdot.end());
  double moved = 0.0;
  return states_kept_.solve(workspace_, point_.chosen(), t, x_, xdot_, moved, accuracy);
}

Evaluation ExactPoint::multipliers(double t, std::span<const double> x,
                                   std::span<const double> xdot, std::span<double> u) {
  // Without (S.3) states need not determine them.
  if (!layout_.hidden) {
    std::copy_n(x.begin() + layout_.n, u.size(), u.begin());
    return Evaluation::ok();
  }
  const std::uint64_t epoch = base_.sides.epoch();
  for (const Known& known : known_) {
    if (known.epoch != epoch || known.t != t) continue;
    if (!std::equal(x.begin(), x.end(), known.x.begin())) continue;
    if (!std::equal(xdot.begin(), xdot.end(), known.xdot.begin())) continue;
    std::copy(known.u.begin(), known.u.end(), u.begin());
    return Evaluation::ok();
  }
  const Evaluation done = find(t, x, xdot, Accuracy::of_multipliers);
  if (!done) return done;
  std::copy_n(xdot_.begin() + layout_.n, u.size(), u.begin());
  Known& known = known_[next_known_];
  next_known_ = (next_known_ + 1) % n_known_;
  known.t = t;
  known.x.assign(x.begin(), x.end());
  known.xdot.assign(xdot.begin(), xdot.end());
  known.u.assign(u.begin(), u.end());
  known.epoch = epoch;
  return done;
}

Evaluation ExactPoint::multiplier_gradients(double t, std::span<const double> x,
                                            std::span<const double> xdot, std::span<double> du_dx) {
  const Evaluation done = find(t, x, xdot, Accuracy::of_multipliers);
  if (!done) return done;
  std::fill(du_dx.begin(), du_dx.end(), 0.0);
  by_state_.resize(layout_.size());
  const auto chosen = point_.chosen();
  if (!states_kept_.begin_slopes(workspace_, chosen, t, x_, xdot_)) {
    return Evaluation::out_of_domain(0);
  }
  for (std::uint32_t j = 0; j < layout_.n; ++j) {
    if (chosen[j] == 0) continue;
    states_kept_.slope(j, by_state_);
    for (std::uint32_t k = 0; k < layout_.z; ++k) {
      du_dx[static_cast<std::size_t>(k) * layout_.n + j] = by_state_[layout_.u(k)];
    }
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
