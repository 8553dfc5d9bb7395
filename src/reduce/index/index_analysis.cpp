#include <saltus/reduce/index_analysis.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/reduce/consistent_point.hpp>

#include "reduce/index/certificate.hpp"
#include "reduce/start/consistent_path.hpp"
#include "reduce/array/projectors.hpp"
#include "reduce/array/scaling.hpp"

namespace saltus::detail {

namespace {

// n (mu + 2) <= largest_array: dense eliminations in quad.
constexpr std::size_t largest_array = 600;

class IndexSearch {
 public:
  IndexSearch(const System& system, Workspace& workspace, double t, const StartValues& guess,
              const IndexOptions& options)
      : system_(system),
        workspace_(workspace),
        search_(system, workspace, t, options.tolerated_contradiction),
        t_(t),
        guess_(guess),
        options_(options),
        m_(system.n_equations()),
        n_(system.size()),
        explore_from_(guess.x),
        path_(guess.x) {
    path_.insert(path_.end(), guess.xdot.begin(), guess.xdot.end());
  }

  Result<IndexAnalysis> run() {
    if (auto ok = check_guess(); !ok) return ok.failure();
    if (too_large_next(0)) return too_large(1);  // whatever the index is
    auto found = analyse();
    if (!found && may_be_accidental(found.failure())) {
      begin_nearby();
      if (auto again = analyse()) found = std::move(again);
    }
    if (found && options_.expected && *options_.expected != found->values) {
      return disagreement("expected", *options_.expected, "found", found->values);
    }
    return found;
  }

 private:
  std::string where() const { return "index analysis at t = " + to_text(t_); }

  /// Entries that vanish at a point, and not beside it, bend the scaling, and searches end where numbers are small.
  static bool may_be_accidental(const Failure& failure) {
    return failure.code == FailureCode::not_certified || failure.code == FailureCode::not_converged;
  }

  /// Explores from a point beside the guess and scales by entries of both. The start is found from the guess, and ranks
  /// are certified there.
  void begin_nearby() {
    constexpr double distance = 0.01;
    looks_nearby_ = true;
    time_shift_ = 0;
    memory_ = RankMemory();
    path_ = guess_.x;
    path_.insert(path_.end(), guess_.xdot.begin(), guess_.xdot.end());
    move_nearby(path_, distance);
    explore_from_.assign(path_.begin(), path_.begin() + n_);
  }

  /// Each coefficient by a part of its size that is neither that of others nor in a simple ratio to it.
  void move_nearby(std::vector<double>& path, double distance) const {
    for (std::size_t k = 0; k < path.size(); ++k) {
      const double way = distance * (1.0 + 0.618 * std::sin(1.0 + 1.7 * static_cast<double>(k)));
      const double unit = k < n_ ? system_.nominal(static_cast<std::uint32_t>(k)) : 0.0;
      path[k] += way * (std::abs(path[k]) + unit);
    }
  }

  Result<IndexAnalysis> analyse() {
    if (auto ok = rescale(); !ok) return ok.failure();
    auto certificate = explore_and_certify();
    if (certificate && certificate->values != explored_) {
      // Lower levels were read where hidden constraints did not hold: once more, from where they do.
      explore_from_.assign(path_.begin(), path_.begin() + n_);
      certificate = explore_and_certify();
    }
    if (!certificate) return certificate.failure();
    if (certificate->values != explored_) {
      return disagreement("exploring", explored_, "at the consistent start", certificate->values);
    }
    const ArrayScaling scaling = scaling_;
    const auto confirmed = in_shorter_units([&] { return confirm_nearby(*certificate); });
    if (!confirmed) return confirmed.failure();
    // What must not move was moved by rounding at most.
    for (std::size_t i = 0; i < options_.fixed.size(); ++i) {
      if (options_.fixed[i]) path_[i] = guess_.x[i];
    }
    restore_settled();
    return IndexAnalysis{certificate->values,
                         certificate->decisions,
                         scaling,
                         path_,
                         n_evaluations_ + search_.n_evaluations(),
                         keeps_content_};
  }

  /// Polishing moves what was in place by rounding. A value that begins on a threshold must not leave it so.
  void restore_settled() {
    constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
    for (std::uint32_t i = 0; i < settled_.size(); ++i) {
      const double size = std::abs(settled_[i]) + system_.nominal(i);
      if (std::abs(path_[i] - settled_[i]) <= rounding * size) path_[i] = settled_[i];
    }
  }

  Result<Certificate> explore_and_certify() {
    if (auto ok = explore(); !ok) return ok.failure();
    if (auto ok = in_shorter_units([&] { return settle(); }); !ok) return ok.failure();
    std::optional<Certificate> certificate;
    const auto certified = in_shorter_units([&]() -> Result<void> {
      auto found = certify_at(path_);
      if (!found) return found.failure();
      certificate = std::move(*found);
      return {};
    });
    if (!certified) return certified.failure();
    return std::move(*certificate);
  }

  Failure disagreement(const std::string& one, const CharacteristicValues& a,
                       const std::string& other, const CharacteristicValues& b) const {
    return {FailureCode::not_certified,
            where() + ": the characteristic values (mu, d, a, v, u) are " + to_text(a) + " " + one +
                ", but " + to_text(b) + " " + other};
  }

  Result<void> check_guess() const {
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (std::isfinite(guess_.x[i]) && std::isfinite(guess_.xdot[i])) continue;
      return Failure{FailureCode::not_finite, where() + ": the start value of '" +
                                                  system_.unknown_name(i) + "' is not finite"};
    }
    return {};
  }

  /// From A_0 and B_0 at the present path.
  Result<void> rescale() {
    ArrayCoefficients<double> coefficients;
    const ArrayScaling none = unit_scaling(system_);
    const Evaluation e = search_.array().coefficients(path_, 0, none, coefficients);
    if (!e) return search_.not_evaluated(e);
    if (looks_nearby_) add_entries_nearby(coefficients);
    scaling_ = curtis_reid_scaling(system_.pattern(), coefficients.a, coefficients.b);
    scaling_.time_exponent = std::max(scaling_.time_exponent + time_shift_, -largest_time_exponent);
    return {};
  }

  void add_entries_nearby(ArrayCoefficients<double>& here) {
    constexpr double distance = 0.1;
    std::vector<double> path = path_;
    move_nearby(path, distance);
    ArrayCoefficients<double> there;
    if (!search_.array().coefficients(path, 0, unit_scaling(system_), there)) return;
    for (std::size_t s = 0; s < here.a.size(); ++s) {
      here.a[s] = std::max(std::abs(here.a[s]), std::abs(there.a[s]));
      here.b[s] = std::max(std::abs(here.b[s]), std::abs(there.b[s]));
    }
  }

  PathWish wish() const { return {explore_from_, Eigen::MatrixXd(0, n_), options_.fixed}; }

  /// A_k and B_k in quad at a point that meets F_0 … F_level to quad precision. The path becomes that
  /// point, rounded.
  struct QuadPoint {
    ArrayCoefficients<Quad> coefficients;
    bool only_up_to_rounding = false;
  };
  Result<QuadPoint> quad_point(std::vector<double>& path, int level) {
    auto polished = search_.polish(path, level, scaling_);
    if (!polished) return polished.failure();
    if (in_short_unit_ && polished->only_up_to_rounding) {
      return Failure{FailureCode::not_converged, "equations agree only up to rounding"};
    }
    QuadPoint point;
    point.only_up_to_rounding = polished->only_up_to_rounding;
    const std::vector<Quad> xi = scaled_path<Quad>(polished->path, scaling_);
    const Evaluation e = search_.quad_array().coefficients(xi, level, scaling_, point.coefficients);
    if (!e) return search_.not_evaluated(e);
    std::transform(polished->path.begin(), polished->path.end(), path.begin(),
                   [](const Quad& x) { return static_cast<double>(x); });
    return point;
  }

  Result<void> find_point(int level, QuadPoint& point) {
    const PathWish x_as_given = wish();
    if (auto ok = search_.solve(path_, level, scaling_, x_as_given); !ok) return ok.failure();
    if (auto ok = rescale(); !ok) return ok.failure();
    auto found = quad_point(path_, level);
    if (!found) return found.failure();
    point = std::move(*found);
    return {};
  }

  /// Where a solution changes faster than the equations at one point tell, the coefficients of its
  /// path are of size one in a shorter unit of time only, and a search succeeds only there. From the
  /// present path, in the present unit first.
  template <class Search>
  Result<void> in_shorter_units(Search&& search) {
    constexpr int shorter[] = {-4, -8, -12};
    const std::vector<double> path = path_;
    const int shift = time_shift_;
    Result<void> first = search();
    if (first || first.failure().code != FailureCode::not_converged) return first;
    // Whatever equations differ by becomes small in a short unit of time: there they must agree.
    const double tolerated = search_.tolerated_contradiction();
    search_.tolerate_contradiction(0.0);
    in_short_unit_ = true;
    bool found = false;
    for (const int by : shorter) {
      path_ = path;
      time_shift_ = shift + by;
      if (auto ok = rescale(); !ok) break;
      found = static_cast<bool>(search());
      if (found) break;
    }
    search_.tolerate_contradiction(tolerated);
    in_short_unit_ = false;
    if (found) return {};
    path_ = path;
    time_shift_ = shift;
    return first;
  }

  /// Level by level until the counts close and the next level finds them again. Sets mu_ and leaves a
  /// path of level mu_ + 1.
  Result<void> explore() {
    Reading fine, coarse;
    for (int level = 0; level <= options_.max_level + 1; ++level) {
      if (too_large_next(level - 1)) return too_large(level);
      QuadPoint point;
      const auto found = in_shorter_units([&] { return find_point(level, point); });
      if (!found) return found.failure();
      for (Reading* reading : {&fine, &coarse}) {
        const double tolerance = reading == &fine ? fine_rank_tolerance : coarse_rank_tolerance;
        reading->levels.push_back(
            memory_.ranks(search_.quad_array(), point.coefficients, level, scaling_, tolerance));
      }
      const bool last = level > options_.max_level || too_large_next(level);
      const Reading* reading = choose(fine, coarse, point.only_up_to_rounding, last);
      if (fine.contradicts_itself(m_) && coarse.contradicts_itself(m_)) {
        return Failure{FailureCode::not_certified,
                       where() +
                           ": the ranks at different levels of the derivative array contradict "
                           "each other; other start values or nominal values may help" +
                           counts_so_far(fine)};
      }
      if (reading == nullptr) continue;
      const auto values = reading->values(m_, n_);
      mu_ = values->mu;
      ranks_ = reading->levels[static_cast<std::size_t>(mu_)];
      explored_ = *values;
      path_.resize(search_.array().n_columns(mu_ + 1));
      return {};
    }
    return Failure{FailureCode::limit_reached, where() + ": no index was found up to level " +
                                                   std::to_string(options_.max_level) +
                                                   " of the derivative array (option max_level)" +
                                                   counts_so_far(fine)};
  }

  /// The reading to go on with, or null if another level is needed. Where pivots look like rounding
  /// of data, the coarse one is waited for and preferred: certify() decides.
  const Reading* choose(const Reading& fine, const Reading& coarse, bool only_up_to_rounding,
                        bool last) const {
    const bool fine_closes = fine.values(m_, n_).has_value();
    const bool coarse_closes = coarse.values(m_, n_).has_value();
    if (only_up_to_rounding) return coarse_closes ? &coarse : nullptr;
    if (fine_closes && !fine.looks_rounded(m_, n_)) return &fine;
    if (fine_closes && coarse_closes) return coarse.is_clear() ? &coarse : &fine;
    if (coarse_closes && fine.contradicts_itself(m_)) return &coarse;
    if (!last) return nullptr;
    return fine_closes ? &fine : coarse_closes ? &coarse : nullptr;
  }

  bool too_large_next(int level) const {
    return n_ * (static_cast<std::size_t>(level) + 2) > largest_array;
  }

  std::string counts_so_far(const Reading& reading) const {
    std::string text;
    for (std::size_t l = 0; l < reading.levels.size(); ++l) {
      const LevelRanks& r = reading.levels[l];
      text += (l == 0 ? "; by level d, a, v: " : "; ") + std::to_string(r.d.rank) + ", " +
              std::to_string(r.a.rank) + ", " +
              std::to_string(static_cast<std::int32_t>(reading.redundant(l)));
    }
    return text;
  }

  Failure too_large(int level) const {
    return {FailureCode::limit_reached,
            where() + ": " + std::to_string(n_) + " unknowns at level " +
                std::to_string(level - 1) + " make a derivative array of more than " +
                std::to_string(largest_array) +
                " columns, which is too large for the numerical analysis; the structural one, or "
                "a model divided into blocks, can handle it"};
  }

  Result<Projectors> projectors_here(const std::vector<double>& path, const LevelRanks& ranks) {
    ArrayCoefficients<double> coefficients;
    const std::vector<double> xi = scaled_path<double>(path, scaling_);
    const Evaluation e = search_.array().coefficients(xi, ranks.level, scaling_, coefficients);
    if (!e) return search_.not_evaluated(e);
    return projectors(search_.array().jacobian(coefficients, ranks.level, scaling_, true), n_,
                      ranks);
  }

  /// The consistent start that keeps what was stated, if that is a part of what has derivatives and can be kept; else
  /// the differential content of the guess. What is explored is only some consistent point.
  Result<void> settle() {
    if (!options_.fixed.empty()) return {};
    const IndexAnalysis found{
        explored_, {{"M_" + std::to_string(mu_), ranks_.m.rank, 0.0, {}}}, scaling_, path_, 0};
    PointOptions keep;
    keep.tolerated_contradiction = options_.tolerated_contradiction;
    auto point = find_stated_point(found, keep);
    if (!point) point = find_consistent_point(system_, workspace_, t_, guess_, found, keep);
    // Where equations contradict each other by what is tolerated, the point explored is as good as any.
    if (!point && options_.tolerated_contradiction > 0) {
      keeps_content_ = !has_moved();
      return {};
    }
    if (!point) return point.failure();
    n_evaluations_ += point->n_evaluations;
    keeps_content_ = point->keeps_content;
    path_ = std::move(point->path);
    settled_.assign(path_.begin(), path_.begin() + n_);
    return rescale();
  }

  /// Whether the path begins elsewhere than was stated.
  bool has_moved() const {
    constexpr double noticeable = 1e-6;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!system_.carries_derivative()[i] || !guess_.x_given[i]) continue;
      const double size = std::abs(guess_.x[i]) + system_.nominal(i);
      if (std::abs(path_[i] - guess_.x[i]) > noticeable * size) return true;
    }
    return false;
  }

  /// The others are guesses, however their masses compare. Fails where everything or nothing was stated, too.
  Result<ConsistentPoint> find_stated_point(const IndexAnalysis& found, PointOptions asked) {
    const auto has_derivative = system_.carries_derivative();
    bool some_are_stated = false, some_are_guesses = false;
    asked.fixed.assign(n_, 0);
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!has_derivative[i]) continue;
      asked.fixed[i] = guess_.x_given[i];
      (guess_.x_given[i] ? some_are_stated : some_are_guesses) = true;
    }
    if (!some_are_stated || !some_are_guesses)
      return Failure{FailureCode::singular, "nothing comes before the differential content"};
    return find_consistent_point(system_, workspace_, t_, guess_, found, asked);
  }

  /// Moves the path, of level mu_ + 1, onto the solution set as far as doubles can tell.
  Result<Certificate> certify_at(std::vector<double>& path) {
    auto point = quad_point(path, mu_ + 1);
    if (!point) return point.failure();
    return certify(memory_, search_.quad_array(), point->coefficients, mu_ + 2, scaling_,
                   point->only_up_to_rounding, where());
  }

  /// One more consistent point, a little away in the directions that the constraints leave free.
  Result<void> confirm_nearby(const Certificate& certificate) {
    constexpr double distances[] = {1e-3, 1e-5};
    auto basis = projectors_here(path_, certificate.ranks);
    if (!basis) return basis.failure();
    if (basis->t2.cols() == 0) return {};
    const std::vector<double> xi = scaled_path<double>(path_, scaling_);
    double size = 0.0;
    for (std::uint32_t i = 0; i < n_; ++i) size = std::max(size, std::abs(xi[i]));
    if (size == 0.0) size = 1.0;
    Eigen::VectorXd direction(basis->t2.cols());
    // Any vector without a pattern will do.
    for (Eigen::Index k = 0; k < direction.size(); ++k) {
      direction[k] = std::cos(1.0 + 2.3 * static_cast<double>(k));
    }
    const Eigen::VectorXd unit_change = size * (basis->t2 * direction.normalized());
    Result<void> found;
    for (const double distance : distances) {
      std::vector<double> moved = xi;
      for (std::uint32_t i = 0; i < n_; ++i) {
        moved[i] += distance * unit_change[static_cast<Eigen::Index>(i)];
      }
      std::vector<double> nearby = unscaled_path<double>(moved, scaling_);
      const PathWish from_there{
          std::vector<double>(nearby.begin(), nearby.begin() + n_), Eigen::MatrixXd(0, n_), {}};
      found = search_.solve(nearby, mu_ + 1, scaling_, from_there);
      if (!found) continue;
      auto again = certify_at(nearby);
      if (!again) return again.failure();
      if (again->values == certificate.values) return {};
      return disagreement("at the consistent start", certificate.values, "nearby", again->values);
    }
    return found;
  }

  const System& system_;
  Workspace& workspace_;
  PathSearch search_;
  RankMemory memory_;
  double t_;
  const StartValues& guess_;
  const IndexOptions& options_;
  std::uint32_t m_, n_;
  std::vector<double> explore_from_;
  std::vector<double> path_;
  ArrayScaling scaling_;
  int time_shift_ = 0;  // of scaling_
  bool looks_nearby_ = false;
  bool keeps_content_ = true;
  std::vector<double> settled_;  // x of the start, before ranks were certified
  bool in_short_unit_ = false;
  int mu_ = 0;
  std::uint64_t n_evaluations_ = 0;  // by others
  CharacteristicValues explored_;
  LevelRanks ranks_;
};

}  // namespace

Result<IndexAnalysis> search_index(const System& system, Workspace& workspace, double t,
                                   const StartValues& guess, const IndexOptions& options) {
  return IndexSearch(system, workspace, t, guess, options).run();
}

}  // namespace saltus::detail

namespace saltus {

std::string to_text(const CharacteristicValues& values) {
  std::string text = "(" + std::to_string(values.mu);
  for (const std::uint32_t count : {values.d, values.a, values.v, values.u}) {
    text += ", " + std::to_string(count);
  }
  return text + ")";
}

Result<IndexAnalysis> analyze_index(const System& system, Workspace& workspace, double t,
                                    const StartValues& guess, const IndexOptions& options) {
  if (options.max_level < 0) throw OptionError("max_level", "must not be negative");
  if (!options.fixed.empty() && options.fixed.size() != system.size()) {
    throw OptionError("fixed", "must have one flag for each of the " +
                                   std::to_string(system.size()) + " unknowns, or none");
  }
  if (workspace.ability<DerivativeLevels<double>>() == nullptr ||
      workspace.ability<DerivativeLevels<Quad>>() == nullptr) {
    throw ModelError("system", "offers no derivatives of its equations: its index cannot be found");
  }
  return detail::search_index(system, workspace, t, guess, options);
}

}  // namespace saltus
