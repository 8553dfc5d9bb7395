// The first place along a step where one function goes to the wrong side.
#pragma once

#include <optional>
#include <vector>

#include "events/refine.hpp"
#include "events/sampling.hpp"
#include "events/side_walk.hpp"
#include "events/watched_function.hpp"

namespace saltus::detail {

struct IsolationOutcome {
  std::optional<TimeBracket> bracket;  // of the first departure
  Guarantee of_departure = Guarantee::proven;
  Guarantee of_search = Guarantee::proven;  // that none was overlooked before it
  /// The place that made the search marginal, or else where G came nearest to zero, if near at all.
  struct Nearest {
    double s = 0.0;
    double distance = 0.0;
  };
  std::optional<Nearest> nearest;
};

struct IsolationLimits {
  double slack = 0.0;
  double band = 0.0;   // an extremum with |g| <= band counts as marginal
  double reach = 1.0;  // one with |g| <= reach band is told of
  bool leaves =
      false;  // it begins on its surface: an extremum before its first rise does not count
};

/// Halves the rest of the step until the sign of G is certain on every piece, or G is monotone there, or
/// rounding hides it. Pieces do not depend on `limit`, so neither does what is found before it.
class Isolation {
 public:
  explicit Isolation(int samples_per_step);

  /// On (s_from, 1], but not beyond `limit`, where another function is known to have departed. `range`: of G there, as
  /// far as it is known already.
  IsolationOutcome search(WatchedFunction& function, double limit, const IsolationLimits& limits,
                          const Interval& range = Interval::entire());

 private:
  enum class Next { go_on, crossed, stop };

  bool search_monotone(WatchedFunction& function, IsolationOutcome& outcome);
  bool rests_beside_surface(const Interval& range, IsolationOutcome& outcome) const;
  bool is_settled_by_range(const Interval& range, IsolationOutcome& outcome) const;
  bool locate(WatchedFunction& function, const SideCrossing& crossing, IsolationOutcome& outcome);
  Next treat(WatchedFunction& function, Piece& piece);
  Next treat_without_model(WatchedFunction& function, Piece& piece);
  Next give_up(const Piece& piece);
  Next settle(const Piece& piece, const Verdict& verdict);
  void note_rise();
  bool ends_higher(WatchedFunction& function) const;
  bool is_clear_of_band(const Piece& piece, const Verdict& verdict);
  void push_halves_without_models(const Piece& piece);
  Piece& push();

  SampledModels samples_;
  SideWalk walk_;
  std::vector<Piece> stack_;  // the leftmost on top
  std::size_t depth_ = 0;
  double s_from_ = 0.0;
  double narrowest_ = 0.0;
  IsolationLimits limits_;
  int n_models_ = 0;
  bool samples_only_ = false;
  bool is_heuristic_ = false;
  bool is_marginal_ = false;
  bool has_risen_ = false;
  std::optional<IsolationOutcome::Nearest> nearest_;
  std::optional<SideCrossing>
      seen_;  // a sample on the wrong side: an earlier crossing is still looked for
};

}  // namespace saltus::detail
