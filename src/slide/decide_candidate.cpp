#include "slide/decide_candidate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

namespace saltus {

std::uint32_t SurfaceCandidate::n_kept() const {
  return static_cast<std::uint32_t>(std::count(state.begin(), state.end(), std::int8_t{0}));
}

namespace detail {
namespace {

std::string numbered(std::size_t k) {
  return "surface " + to_text(static_cast<std::int64_t>(k + 1));
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

/// The velocity that decides whether a surface is left: against what holds it, if there is such a thing.
double rate_of_leaving(const SurfaceCandidate& candidate, std::size_t k, const SideRates& sides,
                       double hold) {
  if (hold == 1.0) {
    return candidate.rate[k];
  }
  return candidate.state[k] > 0 ? sides.plus : sides.minus;
}

bool is_marginal(const SurfaceCandidate& candidate, std::size_t k, const SideRates& sides,
                 double negligible, double hold) {
  return candidate.state[k] != 0
             ? std::fabs(rate_of_leaving(candidate, k, sides, hold)) <= negligible
             : marginal_side(sides, negligible) != 0;
}

std::string first_order_verdict(const SurfaceCandidate& candidate, std::size_t k,
                                const SideRates& sides, double negligible, double hold) {
  const int state = candidate.state[k];
  if (state != 0) {
    const bool may_vanish = hold == 1.0;
    if ((may_vanish && std::fabs(candidate.rate[k]) <= negligible) ||
        state * candidate.rate[k] > negligible) {
      if (state * rate_of_leaving(candidate, k, sides, hold) >= -negligible) {
        return {};
      }
      return numbered(k) + " would be left to " + side_name(state) + ", but is held by up to " +
             to_text(hold) + " times what acts beside it";
    }
    return numbered(k) + " would be left to " + side_name(state) + ", but moves at " +
           to_text(candidate.rate[k]);
  }
  if ((sides.plus < -negligible && sides.minus > negligible) ||
      marginal_side(sides, negligible) != 0) {
    return {};
  }
  const std::string would = numbered(k) + " would be kept, but ";
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
  along.multiplier[k] = side * hold_of(options, k);
  const std::optional<double> second =
      options.second_derivative ? options.second_derivative(along, k) : std::nullopt;
  const bool left = candidate.state[k] != 0;
  if (second && (left ? side * *second > 0.0 : side * *second < 0.0)) {
    return {};
  }
  return numbered(k) + " would be " + (left ? "left to " + side_name(side) : "kept") +
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
    const double hold = hold_of(options, k);
    const std::string verdict = first_order_verdict(candidate, k, sides[k], negligible[k], hold);
    if (verdict.empty()) {
      n_marginal += is_marginal(candidate, k, sides[k], negligible[k], hold) ? 1 : 0;
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
    int side = candidate.state[k];
    const double hold = hold_of(options, k);
    if (side != 0 && std::fabs(rate_of_leaving(candidate, k, sides[k], hold)) > negligible[k]) {
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

void conclude(SurfaceDecision& decision) {
  auto& candidates = decision.candidates;
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

std::string surface_names(std::span<const std::uint32_t> surfaces) {
  std::string text = surfaces.size() == 1 ? "surface " : "surfaces ";
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    if (i > 0) {
      text += i + 1 == surfaces.size() ? " and " : ", ";
    }
    text += to_text(static_cast<std::int64_t>(surfaces[i]) + 1);
  }
  return text;
}

}  // namespace detail
}  // namespace saltus
