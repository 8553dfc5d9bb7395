#include "slide/dae/pivot_watch.hpp"

#include <algorithm>

namespace saltus::detail {

PivotWatch::PivotWatch(const MixedLayout& layout, BaseAtSides& base, VertexForm& form,
                       MixedPoint& point, ExactPoint& exact)
    : layout_(layout),
      base_(base),
      form_(form),
      point_(point),
      exact_(exact),
      kept_(layout.n, 1.0),
      rows_(static_cast<std::size_t>(layout.z) * layout.n),
      eliminated_(rows_.size()),
      rates_(layout.z) {}

bool PivotWatch::look(double t, std::span<const double> x, std::span<const double> xdot) {
  if (!have_aged(t, x, xdot)) return false;
  const std::vector<std::uint32_t> better = choose_pivots(rows_, layout_.z);
  return better.size() == point_.pivots().size() && take(better, t, x, xdot);
}

/// rows_ then holds the gradients by states.
bool PivotWatch::have_aged(double t, std::span<const double> x, std::span<const double> xdot) {
  constexpr int steps_between_looks = 10;
  constexpr double worst_quality = 0.3;
  const auto is_state = states_of(base_.system, *base_.workspace);
  bool must_look = is_curved_ || ++steps_since_look_ >= steps_between_looks;
  for (const std::uint32_t j : point_.pivots()) must_look = must_look || is_state[j] == 0;
  if (!must_look || point_.pivots().empty()) return false;
  steps_since_look_ = 0;
  const std::size_t n = layout_.n;
  SurfaceFunctions& surfaces = base_.surfaces;
  point_.load(x, xdot);
  if (!surfaces.steadiness(t, x.first(n), point_.velocity(), kept_)) return false;
  is_curved_ = std::any_of(kept_.begin(), kept_.end(), [](double k) { return k < 1.0; });
  bool reads_others = false;
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const double c = surfaces.gradient(k)[j];
      rows_[k * n + j] = c;
      reads_others = reads_others || (c != 0.0 && is_state[j] == 0);
    }
  }
  if (reads_others) {
    SideEquations& equations = base_.equations;
    const VertexForm::Seen seen = form_.at(0, x);
    const auto by_x = equations.df_dx(0), by_xdot = equations.df_dxdot(0);
    if (!equations.jacobian(0, t, seen.x, seen.xdot, by_x, by_xdot)) return false;
    base_.gradients.set_jacobian(by_x, by_xdot);
  }
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    const auto row = std::span(rows_).subspan(k * n, n);
    if (!base_.gradients.reduce(is_state, row)) return false;
    for (std::size_t j = 0; j < n; ++j) row[j] *= kept_[j];
  }
  eliminated_ = rows_;
  return pivot_quality(eliminated_, point_.pivots()) < worst_quality;
}

/// P' stays what it is, so that the point remains one of the solution: it stands for a derivative up to a
/// number. That derivative has to be the one the equations give; an engine's x' is less accurate, and what P'
/// would have to jump by is an error that no step makes smaller.
bool PivotWatch::take(std::span<const std::uint32_t> better, double t, std::span<const double> x,
                      std::span<const double> xdot) {
  bool is_known = true;
  for (const std::uint32_t j : better) {
    is_known = is_known && layout_.motion[j] != MixedLayout::none;
  }
  if (!is_known && !exact_.find(t, x, xdot)) return false;
  for (std::uint32_t k = 0; k < better.size(); ++k) {
    const std::uint32_t j = better[k], motion = layout_.motion[j], surface = point_.surface_of(j);
    if (motion != MixedLayout::none) {
      rates_[k] = x[motion];
    } else {
      rates_[k] = surface != MixedPoint::no_surface ? point_.rate(surface, xdot) : exact_.xdot()[j];
    }
  }
  point_.take_pivots(better, rates_, xdot);
  return true;
}

}  // namespace saltus::detail
