#include <saltus/initialize/initial_start.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <saltus/core/text.hpp>
#include <saltus/initialize/consistent.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/reduce/initial_point.hpp>
#include <saltus/system/abilities.hpp>

#include "initialize/initial_newton.hpp"

namespace saltus {

namespace {

constexpr std::uint32_t no_unknown = std::numeric_limits<std::uint32_t>::max();

/// Equations that say the value of one unknown outright.
class OutrightValues {
 public:
  OutrightValues(const System& system, double t, StartValues stated, InitialEquations& equations)
      : system_(system),
        t_(t),
        values_(std::move(stated)),
        equations_(equations),
        is_open_(equations.count(), 1),
        row_(equations.count()),
        r_(equations.count()),
        dr_(static_cast<std::size_t>(equations.pattern().nnz())) {
    const CscPattern& p = equations.pattern();
    for (std::uint32_t j = 0; j < 2 * system.size(); ++j)
      for (auto s = static_cast<std::size_t>(p.column_start[j]);
           s < static_cast<std::size_t>(p.column_start[j + 1]); ++s)
        row_[static_cast<std::size_t>(p.row[s])].push_back({j, s});
  }

  /// Until no equation is left that does.
  void run() {
    while (solve_round()) continue;
  }
  bool found_all() const { return std::ranges::count(is_open_, 1) == 0; }
  const std::vector<std::uint8_t>& open() const { return is_open_; }
  const StartValues& values() const { return values_; }

 private:
  struct Entry {
    std::uint32_t column;  // of (x, x')
    std::size_t slot;
  };
  struct Single {
    std::uint32_t equation, unknown;
    std::size_t slot;
  };

  /// The only unknown of an equation whose value is not known, if it has a derivative and stands there itself.
  Single single_of(std::uint32_t equation) const {
    Single found{equation, no_unknown, 0};
    for (const Entry& e : row_[equation]) {
      if (e.column >= system_.size()) return {equation, no_unknown, 0};
      if (values_.x_given[e.column]) continue;
      if (found.unknown != no_unknown || !system_.carries_derivative()[e.column])
        return {equation, no_unknown, 0};
      found = {equation, e.column, e.slot};
    }
    return found;
  }

  bool solve_round() {
    std::vector<Single> singles;
    std::vector<std::uint8_t> taken(system_.size(), 0);
    for (std::uint32_t e = 0; e < equations_.count(); ++e) {
      if (!is_open_[e]) continue;
      const Single single = single_of(e);
      if (single.unknown == no_unknown || taken[single.unknown]) continue;
      taken[single.unknown] = 1;
      singles.push_back(single);
    }
    return !singles.empty() && newton(singles);
  }

  /// All of them at once: none reads the unknown of another. Those that do not converge stay open, at their guess.
  bool newton(const std::vector<Single>& singles) {
    constexpr int most = 30;
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    const std::vector<double> guess = values_.x;
    std::vector<double> last(singles.size(), std::numeric_limits<double>::infinity());
    std::vector<std::uint8_t> done(singles.size(), 0);
    for (int k = 0; k < most && std::ranges::count(done, 0) > 0; ++k) {
      if (!equations_.residual(t_, values_.x, values_.xdot, r_) ||
          !equations_.jacobian(t_, values_.x, values_.xdot, dr_))
        break;
      for (std::size_t s = 0; s < singles.size(); ++s) {
        if (done[s]) continue;
        const auto [e, j, slot] = singles[s];
        const double step = -r_[e] / dr_[slot];
        if (!std::isfinite(step)) continue;
        const double size = std::abs(values_.x[j]) + std::abs(values_.x[j] + step);
        // Steps that no longer shrink are rounding.
        if (std::abs(step) <= rounding * size ||
            (std::abs(last[s]) <= 1e-12 * size && std::abs(step) >= std::abs(last[s]) / 2)) {
          done[s] = 1;
          continue;
        }
        last[s] = step;
        values_.x[j] += step;
      }
    }
    bool some = false;
    for (std::size_t s = 0; s < singles.size(); ++s) {
      const auto [e, j, slot] = singles[s];
      if (!done[s]) {
        values_.x[j] = guess[j];
        continue;
      }
      is_open_[e] = 0;
      values_.x_given[j] = 1;
      some = true;
    }
    return some;
  }

  const System& system_;
  double t_;
  StartValues values_;
  InitialEquations& equations_;
  std::vector<std::uint8_t> is_open_;
  std::vector<std::vector<Entry>> row_;
  std::vector<double> r_, dr_;
};

/// Stated values as they are, if the system has index 1 and its equations allow them.
std::optional<InitialStart> start_of_index_one(const System& system, Workspace& workspace, double t,
                                               const StartValues& stated,
                                               const InitialStartOptions& options) {
  std::vector<double> weights(system.size());
  for (std::uint32_t i = 0; i < system.size(); ++i)
    weights[i] = 1e6 / (std::abs(stated.x[i]) + system.nominal(i));
  InitializeOptions search;
  search.time_scale = options.time_scale;
  auto found = find_consistent_start(system, workspace, t, stated, weights, search);
  if (!found || !found->changes.empty()) return std::nullopt;
  InitialStart start{std::move(found->x), std::move(found->xdot), {}, false};
  for (std::uint32_t i = 0; i < system.size(); ++i)
    if (system.carries_derivative()[i] && !stated.x_given[i]) start.kept_guesses.push_back(i);
  return start;
}

}  // namespace

Result<InitialStart> find_initial_start(const System& system, Workspace& workspace, double t,
                                        const StartValues& stated, InitialEquations& equations,
                                        const InitialStartOptions& options) {
  const std::string where = "start at t = " + to_text(t) + ": ";
  if (const std::string why = equations.refusal(); !why.empty())
    return Failure{FailureCode::not_certified, where + why};
  OutrightValues outright(system, t, stated, equations);
  outright.run();
  if (outright.found_all()) {
    if (auto start = start_of_index_one(system, workspace, t, outright.values(), options))
      return std::move(*start);
  }
  if (workspace.ability<DerivativeLevels<double>>() == nullptr ||
      workspace.ability<DerivativeLevels<Quad>>() == nullptr)
    return Failure{
        FailureCode::singular,
        where + "the system does not offer its derivatives, which initial equations need"};
  // Large systems are not analysed.
  constexpr std::uint32_t large = 100;
  if (system.size() > large) {
    if (auto start = detail::initial_start_by_states(system, workspace, t, outright.values(),
                                                     equations, outright.open(), options))
      return std::move(*start);
  }
  // What was found so far are better guesses.
  StartValues guess = stated;
  guess.x = outright.values().x;
  const auto analysis = analyze_index(system, workspace, t, guess);
  if (!analysis)
    return Failure{analysis.failure().code,
                   where + "initial equations are solved after an index analysis, which failed: " +
                       analysis.failure().message};
  auto point = find_initial_point(system, workspace, t, guess, *analysis, equations);
  if (!point && options.relax)
    point = find_initial_point(system, workspace, t, guess, *analysis, equations, {.relax = true});
  if (!point) return point.failure();
  InitialStart start{std::move(point->x), std::move(point->xdot), {}, point->is_nearest};
  for (const std::uint32_t i : point->kept_guesses)
    if (system.carries_derivative()[i]) start.kept_guesses.push_back(i);
  return start;
}

}  // namespace saltus
