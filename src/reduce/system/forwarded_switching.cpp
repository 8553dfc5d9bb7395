#include "reduce/system/forwarded_switching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>

namespace saltus::detail {

namespace {

const double half_of_the_digits = std::sqrt(std::numeric_limits<double>::epsilon());

double largest_size(std::span<const double> values) {
  double largest = 0.0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

}  // namespace

// ---- points --------------------------------------------------------------------------------------------

RawPoint::RawPoint(std::vector<std::uint32_t> number, std::uint32_t n_engine,
                   std::span<const std::uint32_t> derivative, Fill fill)
    : number_(std::move(number)),
      n_engine_(n_engine),
      derivative_(derivative.begin(), derivative.end()),
      fill_(std::move(fill)),
      x_(number_.size(), 0.0),
      xdot_(number_.size(), 0.0) {
  for (std::uint32_t u = 0; u < number_.size(); ++u) is_prefix_ = is_prefix_ && number_[u] == u;
}

Evaluation RawPoint::move_to(double t, std::span<const double> x, std::span<const double> xdot,
                             bool fill) {
  for (std::size_t u = 0; u < number_.size(); ++u) {
    if (number_[u] != none) x_[u] = x[number_[u]];
  }
  const Evaluation filled = fill && fill_ ? fill_(t, x, x_) : Evaluation::ok();
  for (std::size_t u = 0; u < number_.size(); ++u) {
    const std::uint32_t next = derivative_[u];
    xdot_[u] = number_[u] != none && !xdot.empty() ? xdot[number_[u]]
               : next != none                      ? x_[next]
                                                   : 0.0;
  }
  return filled;
}

// ---- locks ---------------------------------------------------------------------------------------------

Evaluation NoticedLocks::decide(double t, std::span<const double> x, std::span<const double> xdot) {
  changed_();
  if (point_ == nullptr) return raw_.decide(t, x, xdot);
  // What the engine does not integrate follows from the branches that are to be decided.
  constexpr int most_rounds = 10;
  Evaluation decided = Evaluation::ok();
  for (int round = 0; round < most_rounds; ++round) {
    const Evaluation filled = point_->move_to(t, x, xdot, true);
    before_.assign(raw_.locks().begin(), raw_.locks().end());
    decided = raw_.decide(t, point_->x(), point_->xdot());
    // Relations of what is integrated are right even so.
    if (!filled) return decided ? Evaluation::out_of_domain(0) : decided;
    if (std::equal(before_.begin(), before_.end(), raw_.locks().begin())) break;
  }
  return decided;
}

// ---- functions -----------------------------------------------------------------------------------------

ForwardedFunctions::ForwardedFunctions(SwitchingFunctions& raw, RawPoint& point)
    : raw_(raw), point_(point), reads_others_(raw.count(), 0), moved_(point.n_engine()) {
  const CscPattern& p = raw.gradient_pattern();
  for (std::uint32_t u = 0; u < point.n_raw(); ++u) {
    if (point.number(u) != RawPoint::none) continue;
    const auto end = static_cast<std::size_t>(p.column_start[u + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[u]); s < end; ++s) {
      reads_others_[static_cast<std::size_t>(p.row[s])] = 1;
      any_reads_others_ = true;
    }
  }
  lay_out_gradients();
}

/// Rows of functions that read others are full: these may depend on everything.
void ForwardedFunctions::lay_out_gradients() {
  const CscPattern& p = raw_.gradient_pattern();
  raw_values_.resize(static_cast<std::size_t>(p.nnz()));
  slot_.assign(raw_values_.size(), RawPoint::none);
  std::vector<index_t> rows, columns;
  std::vector<std::size_t> raw_slot;
  for (std::uint32_t u = 0; u < point_.n_raw(); ++u) {
    const auto end = static_cast<std::size_t>(p.column_start[u + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[u]); s < end; ++s) {
      if (reads_others(static_cast<std::uint32_t>(p.row[s]))) continue;
      rows.push_back(p.row[s]);
      columns.push_back(static_cast<index_t>(point_.number(u)));
      raw_slot.push_back(s);
    }
  }
  for (std::uint32_t which = 0; which < count(); ++which) {
    for (std::uint32_t j = 0; reads_others(which) && j < point_.n_engine(); ++j) {
      rows.push_back(static_cast<index_t>(which));
      columns.push_back(static_cast<index_t>(j));
    }
  }
  CscAssembly all = assemble(static_cast<index_t>(count()), static_cast<index_t>(point_.n_engine()),
                             rows, columns);
  for (std::size_t k = 0; k < raw_slot.size(); ++k) {
    slot_[raw_slot[k]] = static_cast<std::uint32_t>(all.slot[k]);
  }
  pattern_ = std::move(all.pattern);
}

Evaluation ForwardedFunctions::evaluate(double t, std::span<const double> x,
                                        std::span<const double> xdot, std::span<double> g) {
  if (const Evaluation e = point_.move_to(t, x, xdot, any_reads_others_); !e) return e;
  return raw_.evaluate(t, point_.x(), point_.xdot(), g);
}

Evaluation ForwardedFunctions::evaluate_one(std::uint32_t which, double t,
                                            std::span<const double> x, std::span<const double> xdot,
                                            double& g) {
  if (raw_.is_timed(which)) return raw_.evaluate_one(which, t, point_.x(), point_.xdot(), g);
  if (const Evaluation e = point_.move_to(t, x, xdot, reads_others(which)); !e) {
    return Evaluation::out_of_domain(which);
  }
  return raw_.evaluate_one(which, t, point_.x(), point_.xdot(), g);
}

/// g at the moved point minus g; moved_ holds the point.
Evaluation ForwardedFunctions::difference(std::uint32_t which, double t,
                                          std::span<const double> xdot, double g, double& change) {
  double moved = 0.0;
  const Evaluation done = evaluate_one(which, t, moved_, xdot, moved);
  change = moved - g;
  return done;
}

Evaluation ForwardedFunctions::rates(double t, std::span<const double> x,
                                     std::span<const double> xdot, std::span<double> g,
                                     std::span<double> gdot) {
  if (const Evaluation e = point_.move_to(t, x, xdot, any_reads_others_); !e) return e;
  if (const Evaluation e = raw_.rates(t, point_.x(), point_.xdot(), g, gdot); !e) return e;
  if (!any_reads_others_) return Evaluation::ok();
  // How fast the others move is not known but from two points of the path.
  const double dt = half_of_the_digits * (1.0 + largest_size(x)) / (1.0 + largest_size(xdot));
  for (std::uint32_t which = 0; which < count(); ++which) {
    if (!reads_others(which) || !is_active(which)) continue;
    for (std::size_t i = 0; i < x.size(); ++i) moved_[i] = x[i] + dt * xdot[i];
    double change = 0.0;
    if (const Evaluation e = difference(which, t + dt, xdot, g[which], change); !e) return e;
    gdot[which] = change / dt;
  }
  return Evaluation::ok();
}

Evaluation ForwardedFunctions::gradients(double t, std::span<const double> x,
                                         std::span<const double> xdot, std::span<double> dg_dx) {
  if (const Evaluation e = point_.move_to(t, x, xdot, any_reads_others_); !e) return e;
  if (const Evaluation e = raw_.gradients(t, point_.x(), point_.xdot(), raw_values_); !e) return e;
  std::fill(dg_dx.begin(), dg_dx.end(), 0.0);
  for (std::size_t s = 0; s < slot_.size(); ++s) {
    if (slot_[s] != RawPoint::none) dg_dx[slot_[s]] = raw_values_[s];
  }
  for (std::size_t j = 0; any_reads_others_ && j < point_.n_engine(); ++j) {
    const auto end = static_cast<std::size_t>(pattern_.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(pattern_.column_start[j]); s < end; ++s) {
      const auto which = static_cast<std::uint32_t>(pattern_.row[s]);
      if (!reads_others(which) || !is_active(which)) continue;
      double g = 0.0, change = 0.0;
      if (const Evaluation e = evaluate_one(which, t, x, xdot, g); !e) return e;
      std::copy(x.begin(), x.end(), moved_.begin());
      moved_[j] += half_of_the_digits * (1.0 + std::abs(x[j]));
      if (const Evaluation e = difference(which, t, xdot, g, change); !e) return e;
      dg_dx[s] = change / (moved_[j] - x[j]);
    }
  }
  return Evaluation::ok();
}

// ---- enclosures ----------------------------------------------------------------------------------------

StepPolynomial ForwardedEnclosure::raw_step(const StepPolynomial& step) {
  if (point_.is_prefix()) return step;
  const std::size_t n = point_.n_raw();
  coefficients_.assign(n * (static_cast<std::size_t>(step.degree) + 1), 0.0);
  for (int k = 0; k <= step.degree; ++k) {
    for (std::uint32_t u = 0; u < n; ++u) {
      if (point_.number(u) == RawPoint::none) continue;
      coefficients_[static_cast<std::size_t>(k) * n + u] = step.coefficient(k, point_.number(u));
    }
  }
  StepPolynomial raw = step;
  raw.n = static_cast<std::uint32_t>(n);
  raw.coefficients = coefficients_;
  return raw;
}

void ForwardedEnclosure::hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) {
  raw_.hulls(raw_step(step), s, g);
  for (std::uint32_t which = 0; which < functions_.count(); ++which) {
    if (functions_.reads_others(which) && functions_.is_active(which))
      g[which] = Interval::entire();
  }
}

bool ForwardedEnclosure::series(std::uint32_t which, const StepPolynomial& step, Interval s,
                                int order, std::span<Interval> coefficients) {
  if (functions_.reads_others(which)) return false;
  return raw_.series(which, raw_step(step), s, order, coefficients);
}

}  // namespace saltus::detail
