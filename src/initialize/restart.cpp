#include <saltus/initialize/restart.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/reduce/consistent_point.hpp>
#include <saltus/system/abilities.hpp>

#include "initialize/impulse_map.hpp"
#include "initialize/violated_equation.hpp"

namespace saltus {

namespace {

// A value has changed if it differs by more than this times (|x_i| + nominal_i).
constexpr double change_tolerance = 1e-12;
// An impulse of order j is one if |c_j| is more than this times (|x_i| + nominal_i) h^(j+1), with the time
// scale h of the analysis.
constexpr double impulse_tolerance = 1e-9;
// What a jump may still be moved by when it is brought to full consistency.
constexpr double jump_tolerance = 1e-6;
constexpr double no_history = std::numeric_limits<double>::infinity();

class Restarting {
 public:
  Restarting(const System& system, Workspace& workspace, double t, const StartValues& left_limit,
             const RestartOptions& options)
      : system_(system),
        workspace_(workspace),
        t_(t),
        wish_(left_limit),
        options_(options),
        history_(options.history),
        n_(system.size()),
        is_mapped_(n_, 0) {
    for (const MappedValue& m : options.mapped) {
      is_mapped_[m.unknown] = 1;
      wish_.x[m.unknown] = m.value;
      wish_.x_given[m.unknown] = 1;
    }
    if (options.policy == RestartPolicy::impulse) {
      count_whole_left_limit();
    } else {
      restart_.used = options.policy;
    }
  }

  Result<Restart> run() {
    if (options_.known != nullptr) {
      restart_.analysis = *options_.known;
      return from_analysis();
    }
    const bool needs_levels = options_.policy == RestartPolicy::least_squares ||
                              !options_.fixed.empty() || options_.equations != nullptr;
    if (!needs_levels) {
      auto started = start_of_index_one();
      if (started || started.failure().code != FailureCode::singular || !has_levels()) {
        return started;
      }
    } else if (!has_levels()) {
      return Failure{FailureCode::singular,
                     where() + "the system does not offer its derivatives, which " +
                         (options_.equations != nullptr ? "equations between limits need"
                          : options_.fixed.empty()      ? "policy least_squares needs"
                                                        : "fixed values need")};
    }
    auto analysis = analyze_index(system_, workspace_, t_, wish_);
    if (!analysis) return analysis.failure();
    restart_.n_evaluations += analysis->n_evaluations;
    restart_.analysis = std::move(*analysis);
    return from_analysis();
  }

 private:
  std::string where() const { return "start at t = " + to_text(t_) + ": "; }
  bool has_levels() {
    return workspace_.ability<DerivativeLevels<double>>() != nullptr &&
           workspace_.ability<DerivativeLevels<Quad>>() != nullptr;
  }
  double size_of(std::uint32_t i, double value) const {
    return std::abs(value) + system_.nominal(i);
  }

  // ---- index 1 -----------------------------------------------------------------------------------
  Result<Restart> start_of_index_one() {
    std::vector<double> weights(n_);
    for (std::uint32_t i = 0; i < n_; ++i) weights[i] = 1e6 / size_of(i, wish_.x[i]);
    InitializeOptions search;
    search.time_scale = options_.time_scale;
    auto found = find_consistent_start(system_, workspace_, t_, wish_, weights, search);
    if (!found) return found.failure();
    restart_.n_evaluations += found->n_evaluations;
    restart_.x = std::move(found->x);
    restart_.xdot = std::move(found->xdot);
    return finish();
  }

  // ---- any index ---------------------------------------------------------------------------------
  Result<Restart> from_analysis() {
    if (auto ok = find_point(); !ok) return ok.failure();
    return finish();
  }

  Result<void> find_point() {
    // Without a history every left limit is one.
    if (options_.policy == RestartPolicy::impulse && history_.empty()) return jump();
    if (options_.policy == RestartPolicy::least_squares) {
      return take_point({.kept = KeptContent::nothing});
    }
    if (!options_.fixed.empty() || options_.equations != nullptr) return find_stated_point();
    const bool may_jump = options_.policy != RestartPolicy::check && !history_.empty();
    if (!may_jump) return take_point({});
    PointOptions values_first;
    values_first.one_level_more = false;
    if (auto ok = take_point(values_first); !ok) return ok;
    return something_jumps() ? leave_history() : add_derivatives();
  }

  Result<void> add_derivatives() {
    StartValues answer = wish_;
    answer.x = restart_.x;
    PointOptions asked;
    asked.expects_consistent = true;
    auto point = find_consistent_point(system_, workspace_, t_, answer, *restart_.analysis, asked);
    if (!point) return point.failure();
    take(std::move(*point));
    return {};
  }

  Result<void> take_point(const PointOptions& asked) {
    auto point = find_consistent_point(system_, workspace_, t_, wish_, *restart_.analysis, asked);
    if (!point) return point.failure();
    take(std::move(*point));
    return {};
  }

  /// Fixed values and equations between limits say what the start is.
  Result<void> find_stated_point() {
    PointOptions asked;
    asked.fixed = options_.fixed;
    asked.equations = options_.equations;
    auto found = take_held_point(asked);
    if (found || !options_.relax || options_.fixed.empty()) return found;
    asked.relax = true;
    const auto relaxed = take_point(asked);
    if (!relaxed) return relaxed;
    restart_.warnings.push_back("fixed values were relaxed: " + found.failure().message);
    return relaxed;
  }

  /// Values of a mode that was left agree with its equations up to the errors of their computation: they
  /// may move by as much.
  Result<void> take_held_point(PointOptions asked) {
    auto exact = take_point(asked);
    if (exact || history_.empty() || asked.fixed.empty()) return exact;
    asked.relax = true;
    const auto nearly = take_point(asked);
    return nearly && !some_held_value_moved(asked.fixed) ? nearly : exact;
  }

  bool some_held_value_moved(const std::vector<std::uint8_t>& fixed) const {
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!fixed[i]) continue;
      const bool has_history = std::isfinite(history_[i]);
      const double allowed =
          has_history ? history_[i] : options_.check_tolerance * size_of(i, wish_.x[i]);
      if (std::abs(restart_.x[i] - wish_.x[i]) > allowed) return true;
    }
    return false;
  }

  // ---- what has a history ------------------------------------------------------------------------
  /// Policy impulse: whatever has a value before has a history, as exactly known as what had a derivative.
  void count_whole_left_limit() {
    if (history_.empty()) return;
    double relative = 0.0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (std::isfinite(history_[i])) {
        relative = std::max(relative, history_[i] / size_of(i, wish_.x[i]));
      }
    }
    if (relative == 0.0) relative = options_.check_tolerance;
    for (std::uint32_t i = 0; i < n_; ++i) {
      const bool counts = wish_.x_given[i] && !is_mapped_[i];
      if (counts && !std::isfinite(history_[i])) history_[i] = relative * size_of(i, wish_.x[i]);
    }
  }

  /// Something with a history has moved whose derivative occurs: an impulse would be needed. Index 1
  /// has no impulses: there E x stays, whatever its unknowns do.
  bool something_jumps() const {
    if (history_.empty() || restart_.analysis->values.mu == 0) return false;
    const auto carries = system_.carries_derivative();
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!carries[i] || is_mapped_[i]) continue;
      const double may_move = options_.every_jump && std::isfinite(history_[i]) ? 0.0 : history_[i];
      if (std::abs(restart_.x[i] - wish_.x[i]) > may_move) return true;
    }
    return false;
  }

  /// Unknowns that nobody stated and that have no history give way first. Where that is not enough,
  /// impulses decide.
  Result<void> leave_history() {
    const auto carries = system_.carries_derivative();
    PointOptions keep_history;
    keep_history.fixed.resize(n_);
    StartValues left = wish_;
    bool some_give_way = false;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!carries[i]) continue;
      keep_history.fixed[i] = wish_.x_given[i] || std::isfinite(history_[i]);
      if (keep_history.fixed[i]) continue;
      some_give_way = true;
      left.x[i] = restart_.x[i];
    }
    if (some_give_way && take_held_point(keep_history)) return {};
    const std::vector<double> of_errors = strengths_of_errors();
    wish_.x.swap(left.x);
    const auto jumped = jump();
    wish_.x.swap(left.x);
    if (!jumped || of_errors.empty()) return jumped;
    constexpr double clearly = 2.0;
    std::erase_if(restart_.impulses, [&](const Impulse& one) {
      const double error = of_errors[static_cast<std::size_t>(one.order) * n_ + one.unknown];
      return std::abs(one.strength) <= clearly * std::abs(error);
    });
    return jumped;
  }

  /// The impulses of movements that do not count as jumps: from the consistent point, moved by those
  /// alone. Empty if there are none, or if they cannot be found.
  std::vector<double> strengths_of_errors() {
    std::vector<double> off = restart_.x;
    bool some = false;
    for (std::uint32_t i = 0; i < n_; ++i) {
      const double moved = std::abs(restart_.x[i] - wish_.x[i]);
      if (!std::isfinite(history_[i]) || moved > history_[i]) continue;
      some = some || moved > change_tolerance * size_of(i, wish_.x[i]);
      off[i] = wish_.x[i];
    }
    if (!some) return {};
    std::uint64_t n_evaluations = 0;
    auto linear = jump_of_blocks(system_, workspace_, t_, off, *restart_.analysis, n_evaluations,
                                 BlockJumps::first_order);
    restart_.n_evaluations += n_evaluations;
    if (linear) return std::move(linear->strength);
    auto found = detail::jump_of_steps(system_, workspace_, t_, off, *restart_.analysis);
    if (!found) return {};
    restart_.n_evaluations += found->n_evaluations;
    return std::move(found->strength);
  }

  void take(ConsistentPoint point) {
    const auto n = static_cast<std::ptrdiff_t>(n_);
    restart_.x.assign(point.path.begin(), point.path.begin() + n);
    restart_.xdot.assign(point.path.begin() + n, point.path.begin() + 2 * n);
    restart_.analysis->path = std::move(point.path);
    restart_.n_evaluations += point.n_evaluations;
  }

  /// The steps across the instant, then full consistency, which must not move the jump any more.
  Result<void> jump() {
    auto before = detail::impulsive_jump(system_, workspace_, t_, wish_.x, *restart_.analysis);
    if (!before) return before.failure();
    StartValues after = wish_;
    after.x = before->x;
    PointOptions asked;
    asked.expects_consistent = before->of_constant_coefficients;
    auto point = find_consistent_point(system_, workspace_, t_, after, *restart_.analysis, asked);
    if (!point) return point.failure();
    const auto carries = system_.carries_derivative();
    for (std::uint32_t i = 0; i < n_; ++i) {
      const double moved = std::abs(point->path[i] - before->x[i]);
      if (!carries[i] || moved <= jump_tolerance * size_of(i, before->x[i])) continue;
      return Failure{FailureCode::not_converged,
                     where() + "the impulses leave '" + system_.unknown_name(i) + "' at " +
                         to_text(before->x[i]) + ", but the equations need " +
                         to_text(point->path[i]) + "; policy map may help"};
    }
    restart_.n_evaluations += before->n_evaluations;
    take(std::move(*point));
    restart_.used = RestartPolicy::impulse;
    list_impulses(before->strength);
    if (before->of_constant_coefficients) return {};
    restart_.n_evaluations += 2;
    const auto rows =
        detail::path_dependent_rows(system_, workspace_, t_, wish_.x, *before, restart_.xdot);
    if (!rows.empty()) {
      restart_.warnings.push_back("path-dependent impulse at t = " + to_text(t_) + ": in '" +
                                  system_.equation_name(rows.front()) +
                                  "' a coefficient and the quantity it multiplies jump together; "
                                  "policy map can state the values wanted");
    }
    return {};
  }

  void list_impulses(const std::vector<double>& strength) {
    const double scale = std::ldexp(1.0, restart_.analysis->scaling.time_exponent);
    for (std::size_t k = 0; k < strength.size(); ++k) {
      const auto i = static_cast<std::uint32_t>(k % n_);
      const int order = static_cast<int>(k / n_);
      const double size = std::max(size_of(i, wish_.x[i]), size_of(i, restart_.x[i]));
      const double counts = impulse_tolerance * size * std::pow(scale, order + 1);
      if (std::abs(strength[k]) <= counts) continue;
      restart_.impulses.push_back({i, system_.unknown_name(i), order, strength[k]});
    }
  }

  // ---- what it comes to ----------------------------------------------------------------------------
  Result<Restart> finish() {
    if (options_.policy == RestartPolicy::check) {
      if (auto ok = check(); !ok) return ok.failure();
    }
    for (std::uint32_t i = 0; i < n_; ++i) {
      const double given = wish_.x[i], used = restart_.x[i];
      if (std::abs(used - given) > change_tolerance * size_of(i, given)) {
        restart_.changes.push_back({i, system_.unknown_name(i), given, used});
      }
    }
    return std::move(restart_);
  }

  Result<void> check() {
    std::uint32_t worst = n_;
    double largest = 1.0;
    std::vector<std::uint8_t> looked_at(n_, 0);
    for (std::uint32_t i = 0; i < n_; ++i) {
      looked_at[i] = history_.empty() ? wish_.x_given[i] : std::isfinite(history_[i]);
      if (!looked_at[i]) continue;
      const double allowed =
          history_.empty() ? options_.check_tolerance * size_of(i, wish_.x[i]) : history_[i];
      const double moved = std::abs(restart_.x[i] - wish_.x[i]);
      if (moved <= largest * allowed) continue;
      largest = allowed > 0 ? moved / allowed : no_history;
      worst = i;
    }
    if (worst == n_) return {};
    const std::string violated =
        detail::violated_equation(system_, workspace_, t_, wish_.x, looked_at, restart_);
    return Failure{
        FailureCode::not_certified,
        where() +
            (history_.empty() ? "the stated values are not consistent: "
                              : "a value that continues from before would have to jump: ") +
            violated + "; '" + system_.unknown_name(worst) + "' is " + to_text(wish_.x[worst]) +
            ", consistent would be " + to_text(restart_.x[worst]) +
            (history_.empty() ? "" : "; policy keep lets it jump, policy map states its value")};
  }

  const System& system_;
  Workspace& workspace_;
  double t_;
  StartValues wish_;
  const RestartOptions& options_;
  std::vector<double> history_;  // or empty
  std::uint32_t n_;
  std::vector<std::uint8_t> is_mapped_;
  Restart restart_;
};

}  // namespace

Result<Restart> restart(const System& system, Workspace& workspace, double t,
                        const StartValues& left_limit, const RestartOptions& options) {
  const bool maps = options.policy == RestartPolicy::map;
  if (!options.mapped.empty() && !maps) throw OptionError("mapped", "needs policy map");
  for (const MappedValue& m : options.mapped) {
    if (m.unknown >= system.size()) throw OptionError("mapped", "names no unknown of the system");
  }
  if (!options.fixed.empty()) {
    if (options.fixed.size() != system.size()) {
      throw OptionError("fixed", "must have one flag for each of the " +
                                     std::to_string(system.size()) + " unknowns, or none");
    }
    if (!maps && options.policy != RestartPolicy::keep) {
      throw OptionError("fixed", "needs policy keep or map");
    }
  }
  if (!options.history.empty() && options.history.size() != system.size()) {
    throw OptionError("history", "must have one number for each of the " +
                                     std::to_string(system.size()) + " unknowns, or none");
  }
  if (options.equations != nullptr && !maps && options.policy != RestartPolicy::keep) {
    throw OptionError("equations", "need policy keep or map");
  }
  return Restarting(system, workspace, t, left_limit, options).run();
}

}  // namespace saltus
