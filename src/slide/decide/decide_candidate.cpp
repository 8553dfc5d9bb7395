#include "slide/decide/decide_candidate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <saltus/core/text.hpp>

namespace saltus {

std::uint32_t SurfaceCandidate::n_kept() const {
  return static_cast<std::uint32_t>(std::count(state.begin(), state.end(), std::int8_t{0}));
}

namespace detail {
namespace {

std::string name_of(std::size_t k, const DecideOptions& options) {
  return options.names.empty() ? "surface " + to_text(static_cast<std::int64_t>(k + 1))
                               : quote(options.names[k]);
}

std::string side_name(int side) { return side > 0 ? "its + side" : "its - side"; }

/// The side of a kept surface that moves along it while the other one moves towards it; 0: none.
int marginal_side(const SideRates& rates, double negligible) {
  if (std::fabs(rates.plus) <= negligible && rates.minus > negligible) {
    return 1;
  }
  if (std::fabs(rates.minus) <= negligible && rates.plus < -negligible) {
    return -1;
  }
  return 0;
}

bool is_marginal(const SurfaceCandidate& candidate, std::size_t k, const SideRates& sides,
                 double negligible) {
  return candidate.state[k] != 0 ? std::fabs(candidate.rate[k]) <= negligible
                                 : marginal_side(sides, negligible) != 0;
}

std::string first_order_verdict(const SurfaceCandidate& candidate, std::size_t k,
                                const SideRates& sides, double negligible,
                                const DecideOptions& options) {
  const double hold = hold_of(options, k);
  const std::int8_t state = candidate.state[k];
  if (state != 0) {
    if (std::fabs(candidate.rate[k]) <= negligible || state * candidate.rate[k] > negligible) {
      return {};
    }
    return name_of(k, options) + " would be left to " + side_name(state) + ", but moves at " +
           to_text(candidate.rate[k]);
  }
  if ((sides.plus < -negligible && sides.minus > negligible) ||
      marginal_side(sides, negligible) != 0) {
    return {};
  }
  const std::string would = name_of(k, options) + " would be kept, but ";
  if (std::fabs(candidate.multiplier[k]) >= hold) {
    return would + "its multiplier " + to_text(candidate.multiplier[k]) + " is not inside (-" +
           to_text(hold) + ", " + to_text(hold) + ")";
  }
  return would + "does not attract: its + side moves at " + to_text(sides.plus) +
         ", its - side at " + to_text(sides.minus);
}

/// What the next derivative says of a surface that is left, or kept at the end of its range: it
/// must move to the side it is left to, or back from the side that it is kept against.
std::string second_order_verdict(const SurfaceCandidate& candidate, std::uint32_t k, int side,
                                 const DecideOptions& options) {
  SurfaceCandidate along = candidate;  // kept at the end of its range: the motion of this side
  along.state[k] = static_cast<std::int8_t>(side);
  along.multiplier[k] = candidate.state[k] != 0 ? side : side * hold_of(options, k);
  const std::optional<double> second =
      options.second_derivative ? options.second_derivative(along, k) : std::nullopt;
  const bool left = candidate.state[k] != 0;
  if (second && (left ? side * *second > 0.0 : side * *second < 0.0)) {
    return {};
  }
  return name_of(k, options) + " would be " + (left ? "left to " + side_name(side) : "kept") +
         (left ? ", but that side moves along it and "
               : ", but " + side_name(side) + " moves along it and ") +
         (second ? "its second derivative is " + to_text(*second)
                 : std::string("the next derivative is not known"));
}

/// The one that is a motion but repels, if nothing else is or could be one.
SurfaceCandidate* only_motion(SurfaceDecision& decision) {
  SurfaceCandidate* only = nullptr;
  for (SurfaceCandidate& candidate : decision.candidates) {
    if (candidate.consistent || candidate.by_second_order ||
        (candidate.repels && only != nullptr)) {
      return nullptr;
    }
    if (candidate.repels) {
      only = &candidate;
    }
  }
  return decision.complete ? only : nullptr;
}

}  // namespace

double least_negligible(double negligible, double largest_rate) {
  // sums over at most a few vertices, with weights from multipliers that are rounded themselves
  return std::fmax(negligible, 8.0 * std::numeric_limits<double>::epsilon() * largest_rate);
}

bool has_holds(const DecideOptions& options) {
  return std::any_of(options.hold.begin(), options.hold.end(), [](double h) { return h > 1.0; });
}

void judge(SurfaceCandidate& candidate, std::span<const SideRates> sides,
           std::span<const double> negligible, const DecideOptions& options) {
  candidate.consistent = false;
  const std::size_t m = candidate.state.size();
  // Second derivatives are dear: only of candidates that nothing else rules out.
  std::size_t n_marginal = 0;
  std::size_t n_repelling = 0;
  for (std::size_t k = 0; k < m; ++k) {
    const std::string verdict = first_order_verdict(candidate, k, sides[k], negligible[k], options);
    if (verdict.empty()) {
      n_marginal += is_marginal(candidate, k, sides[k], negligible[k]) ? 1 : 0;
      continue;
    }
    if (candidate.verdict.empty()) {
      candidate.verdict = verdict;
    }
    if (candidate.state[k] != 0 || sides[k].plus <= negligible[k] ||
        sides[k].minus >= -negligible[k]) {
      candidate.verdict = verdict;
      return;
    }
    ++n_repelling;
  }
  if (n_repelling > 0) {
    candidate.repels = n_marginal == 0;
    candidate.by_second_order = n_marginal > 0;
    return;
  }
  for (std::uint32_t k = 0; k < m; ++k) {
    int side = candidate.state[k] > 0 ? 1 : (candidate.state[k] < 0 ? -1 : 0);
    const double hold = hold_of(options, k);
    if (side != 0 && std::fabs(candidate.rate[k]) > negligible[k]) {
      continue;
    }
    if (side == 0) {
      side = marginal_side(sides[k], negligible[k]);
    }
    if (side == 0) {
      continue;
    }
    candidate.by_second_order = true;
    candidate.verdict = second_order_verdict(candidate, k, side, options);
    if (!candidate.verdict.empty()) {
      return;
    }
    candidate.multiplier[k] = std::clamp(candidate.multiplier[k], -hold, hold);
  }
  candidate.consistent = true;
}

namespace {

/// The first surface that one candidate leaves and another one, otherwise the same, holds; none if it does not.
std::optional<std::size_t> held_instead(const SurfaceCandidate& left, const SurfaceCandidate& held,
                                        const DecideOptions& options) {
  std::optional<std::size_t> first;
  for (std::size_t k = 0; k < left.state.size(); ++k) {
    if (left.state[k] == held.state[k]) {
      continue;
    }
    if (held.state[k] != 0 || hold_of(options, k) == 1.0) {
      return std::nullopt;
    }
    first = first.value_or(k);
  }
  return first;
}

/// Whether each surface that a candidate leaves in spite of its hold would exceed it if it were kept, too.
bool all_give_way(const SurfaceCandidate& left, const SurfaceDecision& decision,
                  const DecideOptions& options) {
  for (std::size_t k = 0; k < left.state.size(); ++k) {
    if (left.state[k] == 0 || hold_of(options, k) == 1.0) {
      continue;
    }
    std::vector<std::int8_t> kept = left.state;
    kept[k] = 0;
    for (const SurfaceCandidate& held : decision.candidates) {
      if (held.state == kept && !held.has_no_multipliers &&
          std::fabs(held.multiplier[k]) < hold_of(options, k)) {
        return false;
      }
    }
  }
  return true;
}

/// Of several candidates those in which the surfaces that are left have to be: one of two that rub on each other
/// may hold because the other one has let go, and the other way round. Which one lets go is known from both at rest.
void leave_only_what_lets_go_first(SurfaceDecision& decision, const DecideOptions& options) {
  std::vector<std::size_t> consistent, remain;
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    if (!decision.candidates[i].consistent) {
      continue;
    }
    consistent.push_back(i);
    if (all_give_way(decision.candidates[i], decision, options)) {
      remain.push_back(i);
    }
  }
  if (remain.empty()) {
    return;
  }
  for (const std::size_t i : consistent) {
    if (std::find(remain.begin(), remain.end(), i) == remain.end()) {
      decision.candidates[i].consistent = false;
      decision.candidates[i].verdict =
          "the surfaces it leaves would hold if they were at rest with the others";
    }
  }
}

/// Whether some surface that one candidate leaves and the one that is taken keeps would exceed its hold if all that have
/// one were kept.
bool some_give_way_at_rest(const SurfaceCandidate& left, const SurfaceCandidate& taken,
                           const SurfaceDecision& decision, const DecideOptions& options) {
  std::vector<std::int8_t> rest = left.state;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    rest[k] = hold_of(options, k) > 1.0 ? std::int8_t{0} : rest[k];
  }
  for (const SurfaceCandidate& held : decision.candidates) {
    if (held.state != rest || held.has_no_multipliers) {
      continue;
    }
    for (std::size_t k = 0; k < rest.size(); ++k) {
      if (left.state[k] != rest[k] && taken.state[k] == 0 &&
          std::fabs(held.multiplier[k]) >= hold_of(options, k)) {
        return true;
      }
    }
  }
  return false;
}

/// Returns the numbers of candidates that are no more consistent.
std::vector<std::size_t> leave_only_what_gives_way(SurfaceDecision& decision,
                                                   const DecideOptions& options) {
  std::vector<std::size_t> dropped;
  std::vector<std::string> verdicts(decision.candidates.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const SurfaceCandidate& left = decision.candidates[i];
    for (const SurfaceCandidate& held : decision.candidates) {
      if (!left.consistent || !held.consistent) {
        continue;
      }
      if (const auto k = held_instead(left, held, options)) {
        verdicts[i] = name_of(*k, options) + " would be left to " + side_name(left.state[*k]) +
                      ", but is held by up to " + to_text(hold_of(options, *k)) +
                      " times what acts beside it";
      }
    }
  }
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (!verdicts[i].empty()) {
      dropped.push_back(i);
      decision.candidates[i].consistent = false;
      decision.candidates[i].verdict = verdicts[i];
    }
  }
  return dropped;
}

}  // namespace

void conclude(SurfaceDecision& decision, const DecideOptions& options) {
  auto& candidates = decision.candidates;
  if (has_holds(options)) {
    const std::vector<std::size_t> dropped = leave_only_what_gives_way(decision, options);
    leave_only_what_lets_go_first(decision, options);
    for (const SurfaceCandidate& taken : candidates) {
      for (const std::size_t i : dropped) {
        decision.depends_on_hold =
            decision.depends_on_hold ||
            (taken.consistent && some_give_way_at_rest(candidates[i], taken, decision, options));
      }
    }
  }
  if (SurfaceCandidate* only = only_motion(decision)) {
    only->consistent = true;
    only->verdict.clear();
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const SurfaceCandidate& a, const SurfaceCandidate& b) {
                     if (a.consistent != b.consistent) {
                       return a.consistent;
                     }
                     return a.consistent && a.n_kept() < b.n_kept();
                   });
  const auto n_consistent = std::count_if(candidates.begin(), candidates.end(),
                                          [](const SurfaceCandidate& c) { return c.consistent; });
  decision.kind = n_consistent == 0   ? DecisionKind::impossible
                  : n_consistent == 1 ? DecisionKind::unique
                                      : DecisionKind::several;
}

void refuse_without_multipliers(SurfaceCandidate& candidate, const DecideOptions& options) {
  std::vector<std::string> kept;
  for (std::size_t k = 0; k < candidate.state.size(); ++k) {
    if (candidate.state[k] == 0) kept.push_back(name_of(k, options));
  }
  candidate.has_no_multipliers = true;
  candidate.verdict = "no multipliers keep " + listed(kept);
}

}  // namespace detail
}  // namespace saltus
