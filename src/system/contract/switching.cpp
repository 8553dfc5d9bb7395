// Switching functions: names, values, rates and gradients.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>

#include "system/contract/trial.hpp"

namespace saltus::detail {

namespace {

using Numbers = std::vector<double>;

constexpr double g_before = 1234.5;

bool equal_bits(const Numbers& a, const Numbers& b, std::size_t i) {
  return std::bit_cast<std::uint64_t>(a[i]) == std::bit_cast<std::uint64_t>(b[i]);
}

class SwitchingCheck {
 public:
  SwitchingCheck(Trial& trial, SwitchingFunctions& functions)
      : trial_(trial), functions_(functions), m_(functions.count()) {}

  void run(const TrialPoint& point) {
    point_ = &point;
    if (!enter_side(trial_, *trial_.workspace, point)) return;
    const std::optional<Numbers> g = evaluate(functions_, point.x);
    if (!g) return;
    check_values(*g);
    check_single(*g);
    if (check_gradients(*g)) check_rates(*g);
  }

 private:
  std::optional<Numbers> evaluate(SwitchingFunctions& functions, std::span<const double> x,
                                  double t_moved = 0.0) {
    Numbers g(m_, g_before);
    if (!functions.evaluate(trial_.t() + t_moved, x, point_->xdot, g)) return std::nullopt;
    return g;
  }

  /// At a neighbouring point. An exit may be known from x' only: there with the x' of the explicit form.
  std::optional<Numbers> evaluate_moved(std::span<const double> x, double t_moved = 0.0) {
    std::optional<Numbers> g = evaluate(functions_, x, t_moved);
    auto* form = trial_.workspace->ability<ExplicitForm>();
    if (!g || form == nullptr) return g;
    Numbers xdot(trial_.size());
    for (std::uint32_t i = 0; i < m_; ++i) {
      if (functions_.info(i).kind != SwitchKind::exit) continue;
      const double t = trial_.t() + t_moved;
      if (!form->derivative(t, x, xdot) || !functions_.evaluate_one(i, t, x, xdot, (*g)[i])) {
        return std::nullopt;
      }
    }
    return g;
  }

  void add(const std::string& kind, std::size_t which, const std::string& sentence) {
    const std::string name = switch_text(functions_, which);
    trial_.findings.add(kind, name, name + " " + sentence + trial_.where(*point_));
  }

  void check_values(const Numbers& g) {
    Numbers over_nan(m_, std::numeric_limits<double>::quiet_NaN());
    const bool again_ok =
        static_cast<bool>(functions_.evaluate(trial_.t(), point_->x, point_->xdot, over_nan));
    auto* other = trial_.other_workspace->ability<SwitchingFunctions>();
    std::optional<Numbers> from_other;
    if (other != nullptr && enter_side(trial_, *trial_.other_workspace, *point_)) {
      from_other = evaluate(*other, point_->x);
    }
    for (std::size_t i = 0; i < m_; ++i) {
      const auto which = static_cast<std::uint32_t>(i);
      if (!std::isfinite(g[i])) {
        add("switching functions", i, "is " + to_text(g[i]) + " though the evaluation reports ok");
      } else if (!again_ok || !equal_bits(g, over_nan, i)) {
        add("switching functions", i,
            "is not repeatable: the same point gives " + to_text(g[i]) + " and " +
                (again_ok ? to_text(over_nan[i]) : "no value"));
      } else if (!functions_.is_active(which) && g[i] != 0.0) {
        add("switching functions", i, "does not matter here, but is " + to_text(g[i]));
      } else if (from_other && !equal_bits(g, *from_other, i)) {
        add("switching functions", i,
            "depends on the workspace: two of them give " + to_text(g[i]) + " and " +
                to_text((*from_other)[i]));
      } else if (from_other && functions_.is_active(which) != other->is_active(which)) {
        add("switching functions", i, "matters in one workspace and not in another");
      }
    }
  }

  void check_single(const Numbers& g) {
    for (std::uint32_t i = 0; i < m_; ++i) {
      if (!functions_.is_active(i)) continue;
      double one = g_before;
      const bool ok =
          static_cast<bool>(functions_.evaluate_one(i, trial_.t(), point_->x, point_->xdot, one));
      if (ok && one == g[i]) continue;
      add("switching functions", i,
          "is " + to_text(g[i]) + " among all and " + (ok ? to_text(one) : "nothing") +
              " by itself");
    }
  }

  /// False: rates cannot be judged.
  bool check_gradients(const Numbers& g) {
    const CscPattern& p = functions_.gradient_pattern();
    if (!p.validate() || static_cast<std::size_t>(p.n_rows) != m_ ||
        static_cast<std::size_t>(p.n_cols) != trial_.size()) {
      trial_.findings.add("gradients", "pattern",
                          "the pattern of gradients is not valid, or its shape is not that of " +
                              std::to_string(m_) + " switches and " +
                              std::to_string(trial_.size()) + " unknowns");
      return false;
    }
    Numbers entries(p.row.size(), g_before);
    if (!functions_.gradients(trial_.t(), point_->x, point_->xdot, entries)) return false;
    measure(p, entries, g);
    Numbers column(m_);
    for (std::size_t j = 0; j < trial_.size(); ++j) {
      std::fill(column.begin(), column.end(), 0.0);
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        column[static_cast<std::size_t>(p.row[s])] = entries[s];
      }
      check_gradient_column(j, column);
    }
    return true;
  }

  /// Of each function: what a typical change of its unknowns does to it.
  void measure(const CscPattern& p, const Numbers& entries, const Numbers& g) {
    size_.assign(m_, 0.0);
    for (std::size_t i = 0; i < m_; ++i) size_[i] = std::fabs(g[i]);
    for (std::size_t j = 0; j < trial_.size(); ++j) {
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        const double effect = std::fabs(entries[s]) * magnitude_at(trial_, point_->x, j);
        if (std::isfinite(effect)) size_[static_cast<std::size_t>(p.row[s])] += effect;
      }
    }
  }

  void check_gradient_column(std::size_t j, const Numbers& column) {
    static const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
    const double scale = magnitude_at(trial_, point_->x, j);
    Numbers x = point_->x;
    x[j] = point_->x[j] + relative * scale;
    const double right = x[j];
    const auto above = evaluate_moved(x);
    x[j] = point_->x[j] - relative * scale;
    const double width = right - x[j];
    const auto below = evaluate_moved(x);
    if (!above || !below) return;
    for (std::size_t i = 0; i < m_; ++i) {
      const double quotient = ((*above)[i] - (*below)[i]) / width;
      // Written such that NaN is a finding. What the size itself does not know of (an entry that is
      // missing) shows in the difference.
      const double allowed = trial_.options.jacobian_tolerance *
                             std::max(size_[i], std::fabs((*above)[i]) + std::fabs((*below)[i]));
      if (std::fabs(column[i] - quotient) * scale <= allowed) continue;
      add("gradients", i,
          "has the derivative " + to_text(column[i]) + " by " + trial_.unknown(j) +
              ", but differences say " + to_text(quotient));
    }
  }

  void check_rates(const Numbers& g) {
    Numbers again(m_, g_before), gdot(m_, g_before);
    if (!functions_.rates(trial_.t(), point_->x, point_->xdot, again, gdot)) return;
    // No unknown moves by more than a small part of itself, and time by that of one unit.
    static const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
    double scale = 1.0;
    for (std::size_t j = 0; j < trial_.size(); ++j) {
      const double rate = std::fabs(point_->xdot[j]);
      if (rate > 0.0) scale = std::min(scale, magnitude_at(trial_, point_->x, j) / rate);
    }
    const double step = relative * scale;
    const auto along = [&](double side) {
      Numbers x = point_->x;
      for (std::size_t j = 0; j < x.size(); ++j) x[j] += side * step * point_->xdot[j];
      return evaluate_moved(x, side * step);
    };
    const auto above = along(1.0);
    const auto below = along(-1.0);
    for (std::size_t i = 0; i < m_; ++i) {
      if (!equal_bits(g, again, i)) {
        add("rates", i,
            "is " + to_text(again[i]) + " beside its rate, but " + to_text(g[i]) + " by itself");
      }
      if (!above || !below) continue;
      const double quotient = ((*above)[i] - (*below)[i]) / (2.0 * step);
      const double allowed =
          trial_.options.jacobian_tolerance * (std::fabs(quotient) * scale + size_[i]);
      if (std::fabs(gdot[i] - quotient) * scale <= allowed) continue;
      add("rates", i,
          "changes at the rate " + to_text(gdot[i]) + ", but differences say " + to_text(quotient));
    }
  }

  Trial& trial_;
  SwitchingFunctions& functions_;
  std::size_t m_;
  const TrialPoint* point_ = nullptr;
  Numbers size_;
};

void check_switch_names(Trial& trial, const SwitchingFunctions& functions) {
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < functions.count(); ++i) {
    const std::string& name = functions.info(i).name;
    if (name.empty()) {
      trial.findings.add("names", "switch" + std::to_string(i),
                         "switch " + std::to_string(i) + " has no name");
    } else if (!names.insert(name).second) {
      trial.findings.add("names", "switch" + name, "two switches have the name " + quote(name));
    }
  }
}

}  // namespace

std::string switch_text(const SwitchingFunctions& functions, std::size_t which) {
  return "switch " + quote(functions.info(static_cast<std::uint32_t>(which)).name);
}

bool enter_side(const Trial& trial, Workspace& workspace, const TrialPoint& point) {
  if (auto* locks = workspace.ability<Locks>()) {
    return static_cast<bool>(locks->decide(trial.t(), point.x, point.xdot));
  }
  auto* functions = workspace.ability<SwitchingFunctions>();
  std::vector<std::uint8_t> truth;
  for (std::uint32_t i = 0; i < functions->count(); ++i) {
    if (functions->info(i).kind != SwitchKind::relation) continue;
    double g = 0.0;
    const bool ok =
        static_cast<bool>(functions->evaluate_one(i, trial.t(), point.x, point.xdot, g));
    truth.push_back(ok && functions->info(i).truth(g) ? 1 : 0);
  }
  functions->set_relations(truth);
  return true;
}

void check_switching(Trial& trial) {
  auto* functions = trial.workspace->ability<SwitchingFunctions>();
  if (functions == nullptr) return;
  check_switch_names(trial, *functions);
  SwitchingCheck check(trial, *functions);
  for (const TrialPoint& point : trial.points) check.run(point);
}

}  // namespace saltus::detail
