#include "hybrid/mode/continued_workspace.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

namespace {

// Of the size of the terms of g: where its sign is safe from rounding, and where nothing is gained any more.
constexpr double nearest_own = 1e-14, farthest_own = 2e-7;

}  // namespace

ContinuedWorkspace::ContinuedWorkspace(const System& system, Workspace& base,
                                       const SwitchBoard& board, BeyondPolicy policy)
    : base_(base),
      pattern_(system.pattern()),
      board_(board),
      policy_(policy),
      functions_(board.functions()),
      explicit_form_(base.ability<ExplicitForm>()),
      g_(board.count(), 0.0),
      gradients_(static_cast<std::size_t>(functions_.gradient_pattern().nnz()), 0.0) {
  nominal_.reserve(system.size());
  for (std::uint32_t i = 0; i < system.size(); ++i) nominal_.push_back(system.nominal(i));
  for (auto* v : {&own_, &mirrored_.x, &last_motion_}) v->assign(system.size(), 0.0);
  mirrored_.f.assign(system.n_equations(), 0.0);
  if (explicit_form_ != nullptr) offer<ExplicitForm>(*this);
  hand_on(base, ContinuedHanding::HandsOn{});
}

bool ContinuedWorkspace::counts(std::uint32_t which) const {
  return board_.info(which).kind == SwitchKind::relation && functions_.is_active(which) &&
         !functions_.is_timed(which);
}

double ContinuedWorkspace::inside(std::uint32_t which) const {
  return board_.side(which) * g_[which] + board_.slack(which);
}

bool ContinuedWorkspace::is_own(std::uint32_t which) const {
  const double distance = inside(which);
  if (distance != 0 || board_.slack(which) > 0) return distance >= 0;
  return board_.info(which).truth(0.0) == board_.truth(which);
}

Evaluation ContinuedWorkspace::look(double t, std::span<const double> x,
                                    std::span<const double> xdot) {
  return functions_.evaluate(t, x, xdot, g_);
}

bool ContinuedWorkspace::is_beyond() const {
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    // In this order: nearly all are on their own side, which is a comparison.
    if (!is_own(w) && counts(w)) return true;
  }
  return false;
}

/// Its dwell time keeps a relation from switching: it is not passing by.
bool ContinuedWorkspace::must_stay(double t) const {
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (counts(w) && !is_own(w) && board_.is_silent(w, t)) return true;
  }
  return false;
}

/// One step of Newton's method along dg/dx in nominal units.
ContinuedWorkspace::Move ContinuedWorkspace::move_inwards(std::uint32_t which, double distance) {
  const CscPattern& p = functions_.gradient_pattern();
  double squares = 0.0, size = 0.0;
  const auto for_each = [&](const auto& act) {
    for (std::size_t j = 0; j < own_.size(); ++j) {
      for (auto s = p.column_start[j]; s < p.column_start[j + 1]; ++s) {
        const auto slot = static_cast<std::size_t>(s);
        if (static_cast<std::uint32_t>(p.row[slot]) == which) act(j, gradients_[slot]);
      }
    }
  };
  for_each([&](std::size_t j, double slope) {
    squares += slope * slope * nominal_[j] * nominal_[j];
    size += std::abs(slope) * std::max(std::abs(own_[j]), nominal_[j]);
  });
  const double wanted = distance * size - inside(which);
  if (wanted <= 0) return Move::none;
  if (!(squares > 0) || !std::isfinite(squares) || !std::isfinite(wanted)) return Move::impossible;
  const double way = board_.side(which) * wanted / squares;
  for_each(
      [&](std::size_t j, double slope) { own_[j] += way * slope * nominal_[j] * nominal_[j]; });
  return Move::done;
}

bool ContinuedWorkspace::place(double t, std::span<const double> x, std::span<const double> xdot,
                               double distance) {
  constexpr int most_rounds = 6;
  std::copy(x.begin(), x.end(), own_.begin());
  for (int round = 0; round < most_rounds; ++round) {
    if (!look(t, own_, xdot)) return false;
    if (round > 0 && !is_beyond()) return true;
    if (!functions_.gradients(t, own_, xdot, gradients_)) return false;
    for (std::uint32_t w = 0; w < board_.count(); ++w) {
      const Move move = counts(w) ? move_inwards(w, distance) : Move::none;
      if (move == Move::impossible) return false;
      // Others may have the same surface.
      if (move == Move::done && !look(t, own_, xdot)) return false;
    }
  }
  return false;
}

template <class Call>
Evaluation ContinuedWorkspace::continued(double t, std::span<const double> x,
                                         std::span<const double> xdot, std::span<double> out,
                                         const Call& call) {
  Evaluation done = Evaluation::out_of_domain(0);
  if (board_.is_one_sided()) {
    if (!look(t, x, xdot)) return done;
    if (!is_beyond()) return call(x, out);
  } else {
    // Nearly all points are on their own side: to ask where they are costs more than to try.
    done = call(x, out);
    if (done.status() != Evaluation::Status::out_of_domain) return done;
    if (!look(t, x, xdot) || !is_beyond()) return done;
    ++n_.extra;
  }
  const Evaluation refused = done;
  if (policy_ == BeyondPolicy::refused || must_stay(t)) return refused;
  for (double distance = nearest_own; distance <= farthest_own; distance *= 10) {
    if (!place(t, x, xdot, distance)) continue;
    done = call(own_, out);
    if (done.status() == Evaluation::Status::failed) return done;
    if (!done) {
      ++n_.extra;
      continue;
    }
    ++n_.continued;
    for (std::size_t i = 0; i < x.size(); ++i) mirrored_.x[i] = 2 * own_[i] - x[i];
    if (!look(t, mirrored_.x, xdot) || is_beyond()) return done;
    ++n_.extra;
    const Evaluation other = call(mirrored_.x, mirrored_.f);
    if (other.status() == Evaluation::Status::failed) return other;
    for (std::size_t i = 0; other && i < out.size(); ++i) out[i] = 2 * out[i] - mirrored_.f[i];
    return done;
  }
  return refused;
}

bool ContinuedWorkspace::on_own_side(
    double t, std::span<const double> x, std::span<const double> xdot,
    const std::function<Evaluation(std::span<const double>)>& evaluate) {
  if (policy_ == BeyondPolicy::refused || !look(t, x, xdot) || !is_beyond()) return false;
  for (double distance = nearest_own; distance <= farthest_own; distance *= 10) {
    if (place(t, x, xdot, distance) && evaluate(own_)) return true;
  }
  return false;
}

Evaluation ContinuedWorkspace::residual(double t, std::span<const double> x,
                                        std::span<const double> xdot, std::span<double> f) {
  return continued(t, x, xdot, f, [&](std::span<const double> at, std::span<double> out) {
    return base_.residual(t, at, xdot, out);
  });
}

Evaluation ContinuedWorkspace::derivative(double t, std::span<const double> x,
                                          std::span<double> xdot) {
  const Evaluation done =
      continued(t, x, last_motion_, xdot, [&](std::span<const double> at, std::span<double> out) {
        return explicit_form_->derivative(t, at, out);
      });
  if (done) std::copy(xdot.begin(), xdot.end(), last_motion_.begin());
  return done;
}

void ContinuedWorkspace::begin(double t, std::span<const double> x, std::span<const double> xdot,
                               double step) {
  begin_.t = t;
  begin_.step = step;
  begin_.x.assign(x.begin(), x.end());
  std::copy(xdot.begin(), xdot.end(), last_motion_.begin());
}

/// The point that the stretch began at, which has just left a surface.
bool ContinuedWorkspace::begins_on_surface(double t, std::span<const double> x,
                                           std::span<const double> xdot) {
  constexpr double at_once = 1e-3;  // of a step
  if (t != begin_.t || !std::equal(x.begin(), x.end(), begin_.x.begin(), begin_.x.end()))
    return false;
  begin_.rates.resize(g_.size());
  if (!functions_.rates(t, x, xdot, g_, begin_.rates)) return false;
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (counts(w) && std::abs(inside(w)) < at_once * std::abs(begin_.step * begin_.rates[w]))
      return true;
  }
  return false;
}

/// At a surface derivatives of a side may be infinite (those of a root), and an iteration with them stands still
/// wherever it is: then those that hold a little ahead are the better ones.
Evaluation ContinuedWorkspace::jacobian(double t, std::span<const double> x,
                                        std::span<const double> xdot, std::span<double> df_dx,
                                        std::span<double> df_dxdot) {
  const Evaluation done = jacobian_nearby(t, x, xdot, df_dx, df_dxdot);
  if (!done || !begins_on_surface(t, x, xdot)) return done;
  constexpr double ahead = 0.3;  // of a step
  for (std::size_t i = 0; i < x.size(); ++i) own_[i] = x[i] + ahead * begin_.step * xdot[i];
  ahead_.df_dx.resize(df_dx.size());
  ahead_.df_dxdot.resize(df_dx.size());
  if (look(t, own_, xdot) && !is_beyond() &&
      base_.jacobian(t, own_, xdot, ahead_.df_dx, ahead_.df_dxdot))
    use_tamer(df_dx, df_dxdot);
  return done;
}

/// If rows are larger by far than they are ahead.
void ContinuedWorkspace::use_tamer(std::span<double> df_dx, std::span<double> df_dxdot) {
  constexpr double far = 30.0;
  const auto sum_rows = [this](std::span<const double> of_x, std::span<const double> of_xdot,
                               std::vector<double>& sums) {
    sums.assign(mirrored_.f.size(), 0.0);
    for (std::size_t j = 0; j < nominal_.size(); ++j) {
      for (auto s = pattern_.column_start[j]; s < pattern_.column_start[j + 1]; ++s) {
        const auto slot = static_cast<std::size_t>(s);
        sums[static_cast<std::size_t>(pattern_.row[slot])] +=
            nominal_[j] * (std::abs(of_x[slot]) + std::abs(of_xdot[slot]));
      }
    }
  };
  sum_rows(df_dx, df_dxdot, ahead_.rows_here);
  sum_rows(ahead_.df_dx, ahead_.df_dxdot, ahead_.rows_ahead);
  for (std::size_t i = 0; i < ahead_.rows_here.size(); ++i) {
    if (ahead_.rows_here[i] <= far * ahead_.rows_ahead[i]) continue;
    std::copy(ahead_.df_dx.begin(), ahead_.df_dx.end(), df_dx.begin());
    std::copy(ahead_.df_dxdot.begin(), ahead_.df_dxdot.end(), df_dxdot.begin());
    return;
  }
}

/// An iteration needs only a good one: that of the nearest point of the side. Of a system that looks for its side
/// by itself differences are taken where they do not reach beyond.
Evaluation ContinuedWorkspace::jacobian_nearby(double t, std::span<const double> x,
                                               std::span<const double> xdot,
                                               std::span<double> df_dx,
                                               std::span<double> df_dxdot) {
  if (board_.is_one_sided()) {
    constexpr double beyond_increments = 1e-7;  // increments are 1.5e-8 of each unknown
    if (!place(t, x, xdot, beyond_increments)) return Evaluation::out_of_domain(0);
    return base_.jacobian(t, own_, xdot, df_dx, df_dxdot);
  }
  const Evaluation plain = base_.jacobian(t, x, xdot, df_dx, df_dxdot);
  if (plain.status() != Evaluation::Status::out_of_domain) return plain;
  for (double distance = nearest_own; distance <= farthest_own; distance *= 10) {
    if (!place(t, x, xdot, distance)) continue;
    const Evaluation done = base_.jacobian(t, own_, xdot, df_dx, df_dxdot);
    if (done.status() != Evaluation::Status::out_of_domain) return done;
  }
  return plain;
}

}  // namespace saltus::detail
