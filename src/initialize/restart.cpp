#include <saltus/initialize/restart.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/reduce/consistent_point.hpp>
#include <saltus/system/abilities.hpp>

#include "initialize/impulse_map.hpp"

namespace saltus {

namespace {

// A value has changed if it differs by more than this times (|x_i| + nominal_i).
constexpr double change_tolerance = 1e-12;
// An impulse of order j is one if |c_j| is more than this times (|x_i| + nominal_i) h^(j+1), with the time
// scale h of the analysis.
constexpr double impulse_tolerance = 1e-9;
// What a jump may still be moved by when it is brought to full consistency.
constexpr double jump_tolerance = 1e-6;

class Restarting {
 public:
  Restarting(const System& system, Workspace& workspace, double t, const StartValues& left_limit,
             const RestartOptions& options)
      : system_(system),
        workspace_(workspace),
        t_(t),
        wish_(left_limit),
        options_(options),
        n_(system.size()) {
    for (const MappedValue& m : options.mapped) {
      wish_.x[m.unknown] = m.value;
      wish_.x_given[m.unknown] = 1;
    }
  }

  Result<Restart> run() {
    if (options_.known != nullptr) {
      restart_.analysis = *options_.known;
      return from_analysis();
    }
    const bool needs_levels =
        options_.policy == RestartPolicy::least_squares || !options_.fixed.empty();
    if (!needs_levels) {
      auto started = start_of_index_one();
      if (started || started.failure().code != FailureCode::singular || !has_levels()) {
        return started;
      }
    } else if (!has_levels()) {
      return Failure{FailureCode::singular,
                     where() + "the system does not offer its derivatives, which " +
                         (options_.fixed.empty() ? "policy least_squares" : "fixed values") +
                         " need"};
    }
    auto analysis = analyze_index(system_, workspace_, t_, wish_);
    if (!analysis) return analysis.failure();
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
    PointOptions asked;
    asked.fixed = options_.fixed;
    if (options_.policy == RestartPolicy::least_squares) asked.kept = KeptContent::nothing;
    if (options_.policy == RestartPolicy::impulse) return jump();
    auto point = find_consistent_point(system_, workspace_, t_, wish_, *restart_.analysis, asked);
    if (!point && options_.relax && !options_.fixed.empty()) {
      const std::string why = point.failure().message;
      asked.relax = true;
      point = find_consistent_point(system_, workspace_, t_, wish_, *restart_.analysis, asked);
      if (point) restart_.warnings.push_back("fixed values were relaxed: " + why);
    }
    if (!point) return point.failure();
    take(std::move(point->path));
    return {};
  }

  void take(std::vector<double> path) {
    const auto n = static_cast<std::ptrdiff_t>(n_);
    restart_.x.assign(path.begin(), path.begin() + n);
    restart_.xdot.assign(path.begin() + n, path.begin() + 2 * n);
    restart_.analysis->path = std::move(path);
  }

  /// The steps across the instant, then full consistency, which must not move the jump any more.
  Result<void> jump() {
    auto before = detail::impulsive_jump(system_, workspace_, t_, wish_.x, *restart_.analysis);
    if (!before) return before.failure();
    StartValues after = wish_;
    after.x = before->x;
    auto point = find_consistent_point(system_, workspace_, t_, after, *restart_.analysis);
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
    take(std::move(point->path));
    list_impulses(before->strength);
    const auto rows =
        detail::path_dependent_rows(system_, workspace_, t_, wish_.x, *before, restart_.xdot);
    if (!rows.empty()) {
      restart_.warnings.push_back("path-dependent impulse at t = " + to_text(t_) + ": in '" +
                                  system_.equation_name(rows.front()) +
                                  "' a coefficient jumps together with what it multiplies; "
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
    double largest = options_.check_tolerance;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!wish_.x_given[i]) continue;
      const double moved = std::abs(restart_.x[i] - wish_.x[i]) / size_of(i, wish_.x[i]);
      if (moved <= largest) continue;
      largest = moved;
      worst = i;
    }
    if (worst == n_) return {};
    return Failure{FailureCode::not_certified,
                   where() + "the stated values are not consistent: " + worst_equation() + "; '" +
                       system_.unknown_name(worst) + "' is " + to_text(wish_.x[worst]) +
                       ", consistent would be " + to_text(restart_.x[worst])};
  }

  /// F_0 … F_mu with the stated values in place of the consistent ones, everything else consistent;
  /// empty if they cannot be evaluated.
  std::vector<double> residuals_of_stated() {
    std::vector<double> path = restart_.x;
    path.insert(path.end(), restart_.xdot.begin(), restart_.xdot.end());
    std::vector<double> f(system_.n_equations());
    if (restart_.analysis) {
      const auto level = static_cast<std::size_t>(restart_.analysis->values.mu);
      path = restart_.analysis->path;
      path.resize(n_ * (level + 2));
      f.resize(f.size() * (level + 1));
    }
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (wish_.x_given[i]) path[i] = wish_.x[i];
    }
    const std::span<const double> all(path);
    const Evaluation done = restart_.analysis
                                ? workspace_.ability<DerivativeLevels<double>>()->residuals(
                                      t_, path, restart_.analysis->values.mu, f)
                                : workspace_.residual(t_, all.first(n_), all.subspan(n_, n_), f);
    if (!done) f.clear();
    return f;
  }

  /// An equation without derivatives is violated by values; any other could be met by other
  /// derivatives, and says less. So does the derivative of an equation that is itself violated.
  std::string worst_equation() {
    constexpr double clearly = 1e-9;
    const std::vector<double> f = residuals_of_stated();
    if (f.empty()) return "some equation cannot be evaluated";
    const std::size_t m = system_.n_equations();
    const std::vector<std::uint8_t> has_derivative = rows_with_derivative();
    std::size_t worst = 0;
    double largest = 0.0;
    const auto look_at = [&](std::size_t first, bool with_derivative) {
      for (std::size_t k = first; k < first + m; ++k) {
        if (has_derivative[k - first] != with_derivative || std::abs(f[k]) <= largest) continue;
        largest = std::abs(f[k]);
        worst = k;
      }
    };
    for (const bool with_derivative : {false, true}) {
      for (std::size_t first = 0; first < f.size() && largest <= clearly; first += m) {
        look_at(first, with_derivative);
      }
    }
    return (worst < m ? "equation '"
                      : "derivative " + std::to_string(worst / m) + " of equation '") +
           system_.equation_name(static_cast<std::uint32_t>(worst % m)) + "' is left at " +
           to_text(f[worst]);
  }

  std::vector<std::uint8_t> rows_with_derivative() {
    std::vector<std::uint8_t> flags(system_.n_equations(), 0);
    const CscPattern& p = system_.pattern();
    std::vector<double> df_dx(static_cast<std::size_t>(p.nnz())), df_dxdot(df_dx.size());
    if (!workspace_.jacobian(t_, restart_.x, restart_.xdot, df_dx, df_dxdot)) return flags;
    for (std::size_t s = 0; s < df_dxdot.size(); ++s) {
      if (df_dxdot[s] != 0.0) flags[static_cast<std::size_t>(p.row[s])] = 1;
    }
    return flags;
  }

  const System& system_;
  Workspace& workspace_;
  double t_;
  StartValues wish_;
  const RestartOptions& options_;
  std::uint32_t n_;
  Restart restart_;
};

}  // namespace

Result<Restart> restart(const System& system, Workspace& workspace, double t,
                        const StartValues& left_limit, const RestartOptions& options) {
  const bool maps = options.policy == RestartPolicy::map;
  if (!options.mapped.empty() && !maps) throw OptionError("mapped", "belongs to policy map");
  for (const MappedValue& m : options.mapped) {
    if (m.unknown >= system.size()) throw OptionError("mapped", "names no unknown of the system");
  }
  if (!options.fixed.empty()) {
    if (options.fixed.size() != system.size()) {
      throw OptionError("fixed", "must have one flag for each of the " +
                                     std::to_string(system.size()) + " unknowns, or none");
    }
    if (!maps && options.policy != RestartPolicy::keep) {
      throw OptionError("fixed", "belongs to the policies keep and map");
    }
  }
  return Restarting(system, workspace, t, left_limit, options).run();
}

}  // namespace saltus
