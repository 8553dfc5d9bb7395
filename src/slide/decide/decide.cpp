// All candidates of a few surfaces, one after the other.
#include <saltus/slide/decide.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "slide/decide/decide_candidate.hpp"
#include "slide/decide/multipliers.hpp"

namespace saltus {
namespace detail {
namespace {

constexpr std::uint32_t max_enumerated = 4;  // 81 candidates

/// The velocities between the vertices of the surfaces that one candidate keeps.
struct KeptTable {
  std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t> vertex;  // of the whole table, per vertex of the kept surfaces
  NormalVelocities velocities;        // of the kept surfaces only
};

KeptTable kept_table(const NormalVelocities& all, std::span<const std::int8_t> state) {
  KeptTable table;
  std::uint32_t fixed = 0;
  for (std::uint32_t k = 0; k < all.n_surfaces; ++k) {
    if (state[k] == 0) {
      table.kept.push_back(k);
    } else if (state[k] > 0) {
      fixed |= 1U << k;
    }
  }
  const auto z = static_cast<std::uint32_t>(table.kept.size());
  table.velocities.n_surfaces = z;
  for (std::uint32_t s = 0; s < (1U << z); ++s) {
    std::uint32_t b = fixed;
    for (std::uint32_t i = 0; i < z; ++i) {
      b |= (s >> i & 1U) << table.kept[i];
    }
    table.vertex.push_back(b);
    for (std::uint32_t i = 0; i < z; ++i) {
      table.velocities.rate.push_back(all(b, table.kept[i]));
    }
  }
  return table;
}

/// Sides of a surface are added before surfaces are: a flipped surface gives the same bits.
double mixed_rate(const NormalVelocities& all, const KeptTable& table, std::span<const double> w,
                  std::uint32_t surface) {
  std::array<double, 1U << max_enumerated> sum{};
  for (std::size_t s = 0; s < w.size(); ++s) {
    sum[s] = w[s] * all(table.vertex[s], surface);
  }
  for (std::size_t size = w.size(); size > 1; size /= 2) {
    for (std::size_t i = 0; i < size / 2; ++i) {
      sum[i] = sum[2 * i] + sum[2 * i + 1];
    }
  }
  return sum[0];
}

/// Of roots that agree up to rounding the one with the smallest multipliers stays: whichever start found
/// it, and whichever side of a surface is called +.
void add_root(std::vector<std::vector<double>>& roots, const std::vector<double>& u) {
  constexpr double same = 1e-8;  // Newton's method ends far closer to a simple root
  const auto smaller = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  for (auto& root : roots) {
    double distance = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      distance = std::fmax(distance, std::fabs(u[i] - root[i]));
    }
    if (distance <= same) {
      if (std::lexicographical_compare(u.begin(), u.end(), root.begin(), root.end(), smaller)) {
        root = u;
      }
      return;
    }
  }
  roots.push_back(u);
}

/// In parts of what each multiplier may be.
double farthest(const std::vector<double>& u, std::span<const double> hold) {
  double size = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    size = std::fmax(size, std::fabs(u[i]) / hold[i]);
  }
  return size;
}

/// The solutions of (S.2) in the box, or else the one that is nearest to it; empty: none at all.
std::vector<std::vector<double>> box_multipliers(const MultilinearVelocities& velocities,
                                                 bool is_affine, std::span<const double> hold) {
  const std::uint32_t z = velocities.n_surfaces();
  std::vector<std::vector<double>> roots;
  if (z <= 2) {
    const MultiplierRoots closed = multiplier_roots(velocities);
    for (std::uint32_t r = 0; r < closed.count; ++r) {
      roots.emplace_back(closed.u[r].begin(), closed.u[r].begin() + z);
    }
  } else {
    // From the middle and from half way to every vertex: more than one solution is worth a search,
    // though none of this proves that all were found.
    std::vector<double> u(z, 0.0);
    if (newton_multipliers(velocities, u)) {
      add_root(roots, u);
    }
    for (std::uint32_t b = 0; !is_affine && b < (1U << z); ++b) {
      for (std::uint32_t i = 0; i < z; ++i) {
        u[i] = (b >> i & 1U) != 0 ? 0.5 : -0.5;
      }
      if (newton_multipliers(velocities, u)) {
        add_root(roots, u);
      }
    }
  }
  std::sort(roots.begin(), roots.end(),
            [&](const auto& a, const auto& b) { return farthest(a, hold) < farthest(b, hold); });
  constexpr double slack = 1e-6;  // of multipliers at the end of their range; judged by velocities
  while (roots.size() > 1 && farthest(roots.back(), hold) > 1.0 + slack) {
    roots.pop_back();
  }
  return roots;
}

class TableDecision {
 public:
  TableDecision(const NormalVelocities& velocities, const DecideOptions& options)
      : all_(velocities), options_(options), negligible_(velocities.n_surfaces) {
    for (std::uint32_t k = 0; k < all_.n_surfaces; ++k) {
      double largest = 0.0;
      for (std::uint32_t b = 0; b < all_.n_vertices(); ++b) {
        largest = std::fmax(largest, std::fabs(all_(b, k)));
      }
      negligible_[k] = least_negligible(all_.negligible[k], largest);
    }
  }

  SurfaceDecision run() {
    std::vector<std::int8_t> state(all_.n_surfaces, 1);
    std::uint32_t n_candidates = 1;
    for (std::uint32_t k = 0; k < all_.n_surfaces; ++k) {
      n_candidates *= 3;
    }
    for (std::uint32_t c = 0; c < n_candidates; ++c) {
      std::uint32_t digits = c;
      for (std::int8_t& side : state) {
        side = std::array<std::int8_t, 3>{1, -1, 0}[digits % 3];
        digits /= 3;
      }
      add(state);
    }
    conclude(decision_, options_);
    if (decision_.kind != DecisionKind::impossible) {
      SurfaceCandidate& first = decision_.candidates.front();
      decision_.depends_on_rule = depends_on_rule(first);
      if (decision_.kind == DecisionKind::unique && decision_.depends_on_rule &&
          options_.rule == SlidingRule::reject) {
        first.consistent = false;
        first.verdict =
            "its motion depends on the rule that mixes the sides, and events.sliding_rule = reject "
            "allows none";
        decision_.kind = DecisionKind::impossible;
      }
    }
    return std::move(decision_);
  }

 private:
  SurfaceCandidate blank(std::span<const std::int8_t> state) const {
    SurfaceCandidate candidate;
    candidate.state.assign(state.begin(), state.end());
    candidate.multiplier.assign(state.begin(), state.end());
    candidate.rate.assign(state.size(), 0.0);
    return candidate;
  }

  /// Mixed differences of the velocities of the kept surfaces' vertices, all surfaces looked at.
  bool is_affine(const KeptTable& table, std::span<const double> zero) const {
    for (std::uint32_t j = 0; j < all_.n_surfaces; ++j) {
      for (std::uint32_t s = 0; s < table.vertex.size(); ++s) {
        if ((s & (s - 1)) == 0) {
          continue;
        }
        double mixed = 0.0;  // the coefficient of the set s, times the number of its subsets
        std::uint32_t t = s;
        while (true) {
          mixed += (std::popcount(s ^ t) % 2 == 0 ? 1.0 : -1.0) * all_(table.vertex[t], j);
          if (t == 0) {
            break;
          }
          t = (t - 1) & s;
        }
        if (std::fabs(mixed) > (1U << std::popcount(s)) * zero[j]) {
          return false;
        }
      }
    }
    return true;
  }

  bool depends_on_rule(const SurfaceCandidate& candidate) const {
    std::vector<double> small = negligible_;
    for (std::size_t k = 0; k < options_.unimportant.size(); ++k)
      small[k] = std::max(small[k], options_.unimportant[k]);
    return candidate.n_kept() >= 2 && !is_affine(kept_table(all_, candidate.state), small);
  }

  void add(std::span<const std::int8_t> state) {
    const KeptTable table = kept_table(all_, state);
    const bool affine_table = is_affine(table, negligible_);
    if (options_.rule == SlidingRule::moments && table.kept.size() == 2 && !affine_table) {
      add_by_moments(state, table);
      return;
    }
    MultilinearVelocities multilinear;
    std::vector<std::vector<double>> roots;
    if (table.kept.empty()) {
      roots.emplace_back();
    } else if (multilinear.assign(table.velocities.n_surfaces, table.velocities.rate)) {
      std::vector<double> hold;
      for (const std::uint32_t k : table.kept) {
        hold.push_back(hold_of(options_, k));
      }
      roots = box_multipliers(multilinear, affine_table, hold);
      decision_.complete = decision_.complete && (table.kept.size() <= 2 || affine_table);
    }
    if (roots.empty()) {
      add_without_multipliers(state);
    }
    for (const auto& u : roots) {
      SurfaceCandidate candidate = blank(state);
      std::vector<SideRates> sides(all_.n_surfaces);
      std::vector<double> w(table.vertex.size());
      for (std::size_t i = 0; i < u.size(); ++i) {
        const std::uint32_t k = table.kept[i];
        candidate.multiplier[k] = u[i];
        std::vector<double> moved = u;
        moved[i] = hold_of(options_, k);
        vertex_weights(moved, w);
        sides[k].plus = mixed_rate(all_, table, w, k);
        moved[i] = -hold_of(options_, k);
        vertex_weights(moved, w);
        sides[k].minus = mixed_rate(all_, table, w, k);
      }
      vertex_weights(u, w);
      finish(std::move(candidate), table, w, sides);
    }
  }

  void add_without_multipliers(std::span<const std::int8_t> state) {
    SurfaceCandidate candidate = blank(state);
    refuse_without_multipliers(candidate, options_);
    decision_.candidates.push_back(std::move(candidate));
  }

  void add_by_moments(std::span<const std::int8_t> state, const KeptTable& table) {
    std::array<double, 4> w{};
    if (!moment_weights(table.velocities, w)) {
      add_without_multipliers(state);
      return;
    }
    SurfaceCandidate candidate = blank(state);
    std::array<double, 2> u{};
    mean_sides(w, u);
    std::vector<SideRates> sides(all_.n_surfaces);
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::uint32_t k = table.kept[i];
      candidate.multiplier[k] = u[i];
      sides[k] = {conditional_rate(table, w, i, true), conditional_rate(table, w, i, false)};
    }
    const double least = *std::min_element(w.begin(), w.end());
    if (least < -16.0 * std::numeric_limits<double>::epsilon()) {
      candidate.verdict = "the rule moments gives a side the negative weight " + to_text(least);
      decision_.candidates.push_back(std::move(candidate));
      return;
    }
    finish(std::move(candidate), table, w, sides);
  }

  /// The velocity of kept surface i on one of its sides, with the weights that the other surface has
  /// there; if there are none, with those that it has on the opposite side.
  double conditional_rate(const KeptTable& table, std::span<const double> w, std::uint32_t i,
                          bool plus) const {
    constexpr double none = 16.0 * std::numeric_limits<double>::epsilon();
    const std::uint32_t bit = 1U << i;
    for (const bool weights_of : {plus, !plus}) {
      double sum = 0.0;
      double rate = 0.0;
      for (std::uint32_t s = 0; s < 4; ++s) {
        if (((s & bit) != 0) == plus) {
          const double weight = w[weights_of == plus ? s : s ^ bit];
          sum += weight;
          rate += weight * all_(table.vertex[s], table.kept[i]);
        }
      }
      if (sum > none) {
        return rate / sum;
      }
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  void finish(SurfaceCandidate candidate, const KeptTable& table, std::span<const double> w,
              std::span<const SideRates> sides) {
    for (std::uint32_t k = 0; k < all_.n_surfaces; ++k) {
      if (candidate.state[k] != 0) {
        candidate.rate[k] = mixed_rate(all_, table, w, k);
      }
    }
    judge(candidate, sides, negligible_, options_);
    decision_.candidates.push_back(std::move(candidate));
  }

  const NormalVelocities& all_;
  const DecideOptions& options_;
  std::vector<double> negligible_;
  SurfaceDecision decision_;
};

}  // namespace
}  // namespace detail

SurfaceDecision decide(const NormalVelocities& velocities, const DecideOptions& options) {
  if (velocities.n_surfaces <= detail::max_enumerated) {
    return detail::TableDecision(velocities, options).run();
  }
  if (const auto linear = affine(velocities)) {
    return decide(*linear, options);
  }
  SurfaceCandidate all_kept;
  all_kept.state.assign(velocities.n_surfaces, 0);
  all_kept.multiplier.assign(velocities.n_surfaces, 0.0);
  all_kept.rate.assign(velocities.n_surfaces, 0.0);
  all_kept.verdict = "more than " + to_text(static_cast<std::int64_t>(detail::max_enumerated)) +
                     " surfaces at once, and velocities are not affine in their multipliers";
  SurfaceDecision refused;
  refused.candidates.push_back(std::move(all_kept));
  refused.complete = false;
  return refused;
}

}  // namespace saltus
