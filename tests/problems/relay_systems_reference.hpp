// The solution of a relay system from series: which surfaces are met when, and how it goes on there. Everything
// that is decided is decided with a margin; a case in which some margin is small is called hard.
#pragma once

#include <limits>

#include "problems/relay_systems_series.hpp"

namespace saltus::problems {

enum class RelayChange : std::uint8_t { crosses, enters, exits };

struct RelayInstant {
  double t = 0.0;
  RelaySides before, after;
  std::vector<double> state;
  /// Errors of states up to here, and of this time, for errors of size 1 made on each stretch.
  double state_amplification = 1.0, time_amplification = 1.0;
  /// The limit of ever faster crossings of two surfaces in turn, of which those within `near_corner` before it
  /// are left out: it stays on both from here on.
  bool is_corner = false;
  static constexpr double near_corner = 1e-6;

  std::vector<std::pair<std::uint32_t, RelayChange>> changes() const {
    std::vector<std::pair<std::uint32_t, RelayChange>> found;
    for (std::uint32_t k = 0; k < before.size(); ++k) {
      if (before[k] == after[k]) continue;
      found.emplace_back(k, after[k] == 0    ? RelayChange::enters
                            : before[k] == 0 ? RelayChange::exits
                                             : RelayChange::crosses);
    }
    return found;
  }
};

enum class RelayEnd : std::uint8_t {
  finished,
  several,       // more than one way to go on
  impossible,    // none
  accumulation,  // ever more events: known up to here
};

struct RelayReference {
  RelayEnd end = RelayEnd::finished;
  RelaySides first;  // sides at the start, or what the decision there says
  std::vector<RelayInstant> instants;
  double t_end = 0.0;
  std::vector<double> state;
  double state_amplification = 1.0;
  std::string hard;  // why it is; empty if it is not
};

template <class T>
class RelaySolver {
 public:
  static constexpr double margin = 1e-6;
  static constexpr std::size_t most_instants = 400;

  explicit RelaySolver(const RelaySystem& system) : s_(system) {}

  RelayReference solve() {
    t_ = T(0.0);
    for (const double v : s_.start) x_.push_back(T(v));
    begin();
    while (result_.end == RelayEnd::finished && t_ < T(s_.t_end)) advance();
    add_stretch();
    result_.t_end = static_cast<double>(t_);
    result_.state = doubles(x_);
    result_.state_amplification = size_of_errors();
    return std::move(result_);
  }

  /// Along the motion of given sides, whatever is met on the way.
  std::vector<T> flow(const RelaySides& sides, T from, std::vector<T> x, T to) const {
    const RelayMotion<T> motion(s_, sides);
    while (from < to) {
      const auto p = motion.piece(from, x);
      if (!p || p->h < T(margin)) return x;
      const T step = std::min(p->h, T(to - from));
      x = p->state_at(step);
      from = step < p->h ? to : T(from + step);
    }
    return x;
  }

 private:
  static std::vector<double> doubles(const std::vector<T>& x) {
    std::vector<double> y;
    for (const T& v : x) y.push_back(static_cast<double>(v));
    return y;
  }
  void call_hard(const char* why) {
    if (result_.hard.empty()) result_.hard = why;
  }

  void begin() {
    sides_.assign(s_.m, 0);
    order_.assign(s_.m, 0);
    std::vector<std::uint32_t> met;
    for (std::uint32_t k = 0; k < s_.m; ++k) {
      T g(-s_.surfaces[k].d);
      for (std::uint32_t i = 0; i < s_.n; ++i) g += T(s_.surfaces[k].w[i]) * x_[i];
      if (g == T(0.0)) {
        met.push_back(k);
      } else {
        sides_[k] = g > T(0.0) ? 1 : -1;
        if (T(relay_abs(g)) < T(margin)) call_hard("start near a surface");
      }
    }
    if (!met.empty()) decide(met);
    result_.first = sides_;
    begin_stretch();
  }

  /// By how much one candidate is a motion at all, and by how much the surfaces it keeps attract, each by
  /// itself; negative if it is none, or they do not.
  struct Slack {
    double motion = std::numeric_limits<double>::infinity();
    double attraction = std::numeric_limits<double>::infinity();
  };
  Slack slack(const RelaySides& sides, const std::vector<std::uint32_t>& met) const {
    constexpr double vanishes = 1e-12;
    const auto p = RelayMotion<T>(s_, sides).piece(t_, x_);
    Slack found;
    if (!p) return {-found.motion, found.attraction};
    double worst = 0.0;
    const auto require = [&](double v) {
      found.motion = std::min(found.motion, v);
      worst = std::min(worst, v);
    };
    for (const std::uint32_t k : met) {
      if (sides[k] != 0) {
        const double first = sides[k] * static_cast<double>(p->g[k][1]);
        require(std::abs(first) > vanishes ? first : sides[k] * static_cast<double>(p->g[k][2]));
        continue;
      }
      const double u = static_cast<double>(p->u[k][0]);
      const double inside = static_cast<double>(T(1.0) - T(relay_abs(p->u[k][0])));
      require(std::abs(inside) > vanishes
                  ? inside
                  : -std::copysign(1.0, u) * static_cast<double>(p->u[k][1]));
      T attraction(0.0);
      for (std::uint32_t i = 0; i < s_.n; ++i) {
        T field(s_.f[k + 1].b[i]);
        for (std::uint32_t j = 0; j < s_.n; ++j) field += T(s_.f[k + 1].a[i][j]) * x_[j];
        attraction -= T(s_.surfaces[k].w[i]) * field;
      }
      found.attraction = std::min(found.attraction, static_cast<double>(attraction));
    }
    if (worst < 0) found.motion = worst;
    return found;
  }

  /// How it goes on from a point on the surfaces `met`: the one candidate that attracts, or, if there is none,
  /// the only motion.
  void decide(const std::vector<std::uint32_t>& met) {
    RelaySides sides = sides_, attracts, moves;
    int n_attracting = 0, n_motions = 0;
    double least = std::numeric_limits<double>::infinity();
    std::size_t n_candidates = 1;
    for (std::size_t i = 0; i < met.size(); ++i) n_candidates *= 3;
    for (std::size_t c = 0; c < n_candidates; ++c) {
      std::size_t digits = c;
      for (const std::uint32_t k : met) {
        sides[k] = static_cast<int>(digits % 3) - 1;
        digits /= 3;
      }
      const Slack found = slack(sides, met);
      least = std::min(least, std::abs(found.motion));
      if (found.motion <= 0) continue;
      least = std::min(least, std::abs(found.attraction));
      ++n_motions;
      moves = sides;
      if (found.attraction <= 0) continue;
      ++n_attracting;
      attracts = sides;
    }
    if (least < margin) call_hard("decision on a surface");
    const bool only_motion = n_attracting == 0 && n_motions == 1;
    if (n_attracting != 1 && !only_motion) {
      result_.end = n_attracting == 0 ? RelayEnd::impossible : RelayEnd::several;
      return;
    }
    sides_ = only_motion ? moves : attracts;
    // Functions of surfaces that are left are zero now: as many roots as that are not looked at again.
    const auto p = RelayMotion<T>(s_, sides_).piece(t_, x_);
    for (const std::uint32_t k : met) {
      if (sides_[k] != 0) order_[k] = T(relay_abs(p->g[k][1])) > T(1e-12) ? 1 : 2;
    }
  }

  void begin_stretch() {
    stretch_t_ = t_;
    stretch_x_ = x_;
    // An error of size 1 in every component, made here.
    double scale = 1.0;
    for (const T& v : x_) scale = std::max(scale, std::abs(static_cast<double>(v)));
    for (std::uint32_t i = 0; i < s_.n; ++i) {
      errors_.emplace_back(s_.n, 0.0);
      errors_.back()[i] = scale;
    }
  }
  /// What becomes of the errors until the end of the stretch.
  void add_stretch() {
    const T delta(1e-7);
    std::vector<std::vector<double>> columns;
    for (std::uint32_t j = 0; j < s_.n; ++j) {
      std::vector<T> other = stretch_x_;
      other[j] += delta;
      other = flow(sides_, stretch_t_, other, t_);
      columns.emplace_back();
      for (std::uint32_t i = 0; i < s_.n; ++i)
        columns[j].push_back(static_cast<double>((other[i] - x_[i]) / delta));
    }
    for (std::vector<double>& e : errors_) {
      const std::vector<double> before = e;
      for (std::uint32_t i = 0; i < s_.n; ++i) {
        e[i] = 0.0;
        for (std::uint32_t j = 0; j < s_.n; ++j) e[i] += columns[j][i] * before[j];
      }
    }
  }
  double size_of_errors() const {
    double largest = 0.0;
    for (std::uint32_t i = 0; i < s_.n; ++i) {
      double sum = 0.0;
      for (const std::vector<double>& e : errors_) sum += std::abs(e[i]);
      largest = std::max(largest, sum);
    }
    return largest;
  }

  /// Gradient of the function that is met: of g, or of a multiplier by differences.
  std::vector<double> gradient(std::uint32_t k, bool exit) const {
    if (!exit) return s_.surfaces[k].w;
    const T delta(1e-7);
    const RelayMotion<T> motion(s_, sides_);
    const auto p = motion.piece(t_, x_);
    std::vector<double> found(s_.n, 0.0);
    for (std::uint32_t j = 0; j < s_.n; ++j) {
      std::vector<T> other = x_;
      other[j] += delta;
      const auto q = motion.piece(t_, other);
      if (p && q) found[j] = static_cast<double>((q->u[k][0] - p->u[k][0]) / delta);
    }
    return found;
  }

  struct Met {
    T tau = T(0.0);
    std::uint32_t surface = 0;
    bool exit = false;
    double slope = 0.0;
  };

  void look(const RelaySeries<T>& c, T end, std::uint32_t k, bool exit, std::optional<Met>& first) {
    FirstRelayRoot<T> root{T(margin)};
    const T until = first ? std::min(end, T(first->tau + T(2 * margin))) : end;
    const auto found = root.find(c, T(0.0), until);
    if (root.touches()) call_hard("a surface is touched");
    if (!found) return;
    if (first && T(relay_abs(first->tau - *found)) < T(2 * margin))
      call_hard("two surfaces at once");
    if (first && first->tau <= *found) return;
    first = Met{*found, k, exit, 0.0};
  }

  void advance() {
    const auto p = RelayMotion<T>(s_, sides_).piece(t_, x_);
    if (!p || p->h < T(margin)) {
      call_hard("no multipliers");
      result_.end = RelayEnd::impossible;
      return;
    }
    const T end = std::min(p->h, T(T(s_.t_end) - t_));
    std::optional<Met> first;
    for (std::uint32_t k = 0; k < s_.m; ++k) {
      if (sides_[k] != 0) {
        RelaySeries<T> c{};
        for (std::size_t i = order_[k]; i <= relay_degree; ++i) c[i - order_[k]] = p->g[k][i];
        look(c, end, k, false, first);
        continue;
      }
      for (const double bound : {1.0, -1.0}) {
        RelaySeries<T> c{};
        for (std::size_t i = 0; i <= relay_degree; ++i) c[i] = T(-bound) * p->u[k][i];
        c[0] += T(1.0);
        look(c, end, k, true, first);
      }
    }
    const T tau = first ? first->tau : end;
    if (first) {
      const RelaySeries<T>& met = first->exit ? p->u[first->surface] : p->g[first->surface];
      first->slope = static_cast<double>(slope_of(met, tau));
    }
    x_ = p->state_at(tau);
    t_ = !first && end < p->h ? T(s_.t_end) : T(t_ + tau);
    order_.assign(s_.m, 0);
    if (first) meet(*first);
  }

  void meet(const Met& met) {
    RelayInstant instant;
    instant.t = static_cast<double>(t_);
    instant.before = sides_;
    instant.state = doubles(x_);
    if (std::abs(met.slope) < margin) call_hard("a surface is met slowly");
    if (static_cast<double>(T(s_.t_end) - t_) < margin) call_hard("an event at the end");
    if (static_cast<double>(t_ - stretch_t_) < margin) call_hard("two events close together");
    add_stretch();
    const auto before = RelayMotion<T>(s_, sides_).piece(t_, x_);
    const std::vector<double> of_function = gradient(met.surface, met.exit);
    std::vector<std::uint32_t> surfaces;
    for (std::uint32_t k = 0; k < s_.m; ++k) {
      if (sides_[k] == 0 || k == met.surface) surfaces.push_back(k);
    }
    decide(surfaces);
    if (result_.end != RelayEnd::finished) return;
    const auto after = RelayMotion<T>(s_, sides_).piece(t_, x_);
    // An error e moves the time by dt = -grad . e / slope, and the state by (x'_before - x'_after) dt.
    instant.time_amplification = 0.0;
    for (std::vector<double>& e : errors_) {
      double moved = 0.0;
      for (std::uint32_t i = 0; i < s_.n; ++i) moved -= of_function[i] * e[i] / met.slope;
      instant.time_amplification += std::abs(moved);
      for (std::uint32_t i = 0; i < s_.n; ++i)
        e[i] += static_cast<double>(before->x[i][1] - after->x[i][1]) * moved;
    }
    instant.state_amplification = size_of_errors();
    instant.after = sides_;
    if (!instant.changes().empty()) result_.instants.push_back(std::move(instant));
    if (has_come_to_a_corner()) go_on_from_corner();
    if (result_.instants.size() >= most_instants) result_.end = RelayEnd::accumulation;
    begin_stretch();
  }

  /// Eight crossings within 1e-12: the sizes of what follows are a geometric series below rounding of doubles.
  bool has_come_to_a_corner() const {
    constexpr std::size_t few = 8;
    const std::size_t n = result_.instants.size();
    return s_.m == 2 && n >= few && result_.instants[n - 1].t - result_.instants[n - few].t < 1e-12;
  }
  void go_on_from_corner() {
    RelayInstant corner = result_.instants.back();
    const double first = corner.t - RelayInstant::near_corner;
    std::erase_if(result_.instants, [&](const RelayInstant& i) { return i.t > first; });
    corner.before = sides_;
    decide({0, 1});
    if (result_.end != RelayEnd::finished) return;
    corner.after = sides_;
    corner.is_corner = true;
    corner.time_amplification = corner.state_amplification = size_of_errors();
    result_.instants.push_back(std::move(corner));
    // From a point that is on both surfaces but for rounding.
    if (sides_ != RelaySides{0, 0}) result_.end = RelayEnd::accumulation;
  }

  const RelaySystem& s_;
  RelayReference result_;
  T t_, stretch_t_;
  std::vector<T> x_, stretch_x_;
  RelaySides sides_;
  std::vector<std::size_t> order_;  // of the zero of each function at the begin of the next piece
  std::vector<std::vector<double>> errors_;  // what became of each error made on the way
};

inline RelayReference solve_relays(const RelaySystem& system) {
  return RelaySolver<long double>(system).solve();
}

/// The same system with its first surface moved so that the solution almost touches it from its first side, or
/// passes it by as little: the extremum of its function is 1e-4 … 1e-10 beside zero. As it is if the function has
/// no extremum within the first part of the run.
inline RelaySystem almost_touching(RelaySystem s) {
  if (s.starts_on[0] || (s.m == 2 && s.starts_on[1])) return s;
  const auto function = [&](const std::vector<long double>& x, long double t) {
    long double g = -s.surfaces[0].e * t;
    for (std::uint32_t i = 0; i < s.n; ++i) g += s.surfaces[0].w[i] * x[i];
    return g;
  };
  RelaySides sides;
  for (const RelaySurface& surface : s.surfaces) {
    long double g = -surface.d;
    for (std::uint32_t i = 0; i < s.n; ++i) g += surface.w[i] * s.start[i];
    sides.push_back(g > 0 ? 1 : -1);
  }
  // The nearest point to the surface, by ever finer steps around the best so far.
  const RelaySolver<long double> solver(s);
  const std::vector<long double> start(s.start.begin(), s.start.end());
  const auto side_of = [&](long double t) {
    return sides[0] * function(solver.flow(sides, 0.0L, start, t), t);
  };
  long double best = 0.0L, step = 0.1L;
  for (int k = 1; k <= 30; ++k)
    if (side_of(0.1L * k) < side_of(best)) best = 0.1L * k;
  if (best < 0.15L || best > 2.95L) return s;
  for (int k = 0; k < 60; ++k, step *= 0.6L) {
    for (const long double t : {best - step, best + step})
      if (side_of(t) < side_of(best)) best = t;
  }
  const double besides[] = {1e-4, -1e-4, 1e-5, -1e-5, 1e-7, -1e-7, 1e-10, -1e-10};
  s.surfaces[0].d = static_cast<double>(function(solver.flow(sides, 0.0L, start, best), best) -
                                        sides[0] * besides[s.seed / 30 % 8]);
  return s;
}

}  // namespace saltus::problems
