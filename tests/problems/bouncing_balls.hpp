// A hundred balls that do not know of each other, dropped from heights 1 nm apart (Compere, 5.3.3): every
// contact is a hundred events within 2e-8 to 2e-7 seconds. Once with springs and dampers in the ground,
// once with impacts.
#pragma once

#include <numeric>

#include "problems/switched_problem.hpp"

namespace saltus::problems {

struct BouncingBalls {
  static constexpr std::uint32_t n = 100;
  static constexpr int n_contacts = 6;
  static constexpr double g = 9.81, k = 1e4, c = 10.0, restitution = 0.85;
  static double height(std::size_t ball) { return 1.0 + static_cast<double>(ball) * 1e-9; }

  /// Times and velocities at which one ball passes y = 0, in the digits of long double.
  struct Passage {
    long double t, v;
  };
  /// With springs: closed solution of each flight and each contact.
  static std::vector<Passage> spring_passages(std::size_t ball) {
    const long double grav = 9.81L, stiff = 1e4L, half = 5.0L;  // c/2
    const long double wd = std::sqrt(stiff - half * half);
    std::vector<Passage> all;
    long double v = std::sqrt(2 * grav * static_cast<long double>(height(ball)));
    long double t = v / grav;
    for (int contact = 0; contact < n_contacts; ++contact) {
      if (contact > 0) t += 2 * v / grav;
      all.push_back({t, -v});
      // y = -g/k + e^(-c/2 s) (A cos w s + B sin w s) from y = 0, y' = -v; back at zero after about pi/w.
      const long double a = grav / stiff, b = (-v + half * a) / wd;
      const auto decayed = [&](long double s, bool slope) {
        const long double cs = std::cos(wd * s), sn = std::sin(wd * s), e = std::exp(-half * s);
        return slope ? e * ((wd * b - half * a) * cs - (wd * a + half * b) * sn)
                     : -grav / stiff + e * (a * cs + b * sn);
      };
      long double s = std::acos(-1.0L) / wd;
      for (int i = 0; i < 20; ++i) s -= decayed(s, false) / decayed(s, true);
      v = decayed(s, true);
      t += s;
      all.push_back({t, v});
    }
    return all;
  }
  static std::vector<Passage> impacts(std::size_t ball) {
    const long double grav = 9.81L, e = 0.85L;
    std::vector<Passage> all;
    long double v = std::sqrt(2 * grav * static_cast<long double>(height(ball)));
    long double t = v / grav;
    for (int contact = 0; contact < n_contacts; ++contact) {
      if (contact > 0) t += 2 * v / grav;
      all.push_back({t, -v});
      v *= e;
    }
    return all;
  }
};

/// Which ball passes at event k, and its place among the passages of that ball.
struct BallPassage {
  std::uint32_t ball;
  std::size_t passage;
  double t;
};
inline std::vector<BallPassage> sorted_passages(
    std::vector<BouncingBalls::Passage> (*passages)(std::size_t)) {
  std::vector<BallPassage> all;
  for (std::uint32_t i = 0; i < BouncingBalls::n; ++i) {
    const auto one = passages(i);
    for (std::size_t k = 0; k < one.size(); ++k)
      all.push_back({i, k, static_cast<double>(one[k].t)});
  }
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.t < b.t; });
  return all;
}

inline std::vector<double> ball_heights() {
  std::vector<double> heights(BouncingBalls::n);
  for (std::size_t i = 0; i < heights.size(); ++i) heights[i] = BouncingBalls::height(i);
  return heights;
}

inline void write_spring_balls(ModelWriter& w) {
  using B = BouncingBalls;
  Expr y = w.m.states("y", ball_heights()), v = w.m.states("v", std::vector<double>(B::n, 0.0));
  w.m.equation("y", der(y) == v);
  w.m.equation("v", der(v) == w.choose_lanes("contact", y < 0.0, -B::g - B::k * y - B::c * v,
                                             map(
                                                 B::n, [](Index) { return Expr(-B::g); })));
}

inline void write_impact_balls(ModelWriter& w) {
  using B = BouncingBalls;
  Expr y = w.m.states("y", ball_heights()), v = w.m.states("v", std::vector<double>(B::n, 0.0));
  w.m.equation("y", der(y) == v);
  w.m.equation("v", der(v) == -B::g);
  for (std::uint32_t i = 0; i < B::n; ++i) {
    w.when(ModelWriter::lane_key("bounce", i), y[i] < 0.0, {{v[i], -B::restitution * pre(v[i])}});
  }
}

inline std::string ball_variable(const char* name, std::size_t ball) {
  return std::string(name) + "[" + std::to_string(ball) + "]";
}

/// 1,200 events.
inline SwitchedProblem spring_balls() {
  SwitchedProblem p{.name = "spring balls", .write = &write_spring_balls, .t_end = 3.5};
  const auto all = sorted_passages(&BouncingBalls::spring_passages);
  for (const BallPassage& b : all) {
    p.events.push_back(
        {b.t, ModelWriter::lane_key("contact", b.ball), b.passage % 2 == 0 ? -1 : +1});
  }
  for (std::size_t i = 0; i < BouncingBalls::n; ++i) {
    const auto last = BouncingBalls::spring_passages(i).back();
    const long double s = 3.5L - last.t;
    p.final_values.push_back(
        {ball_variable("y", i), static_cast<double>(s * (last.v - 9.81L / 2 * s))});
    p.final_values.push_back({ball_variable("v", i), static_cast<double>(last.v - 9.81L * s)});
  }
  p.file = "bouncing_balls_100.json";
  p.choices = {{"contact", std::vector<double>(BouncingBalls::n, 0.0)}};
  p.switch_at = [all](std::size_t k, Choices& c) {
    c["contact"][all[k].ball] = all[k].passage % 2 == 0 ? 1.0 : 0.0;
  };
  return p;
}

/// 600 events.
inline SwitchedProblem impact_balls() {
  SwitchedProblem p{.name = "impact balls", .write = &write_impact_balls};
  const auto all = sorted_passages(&BouncingBalls::impacts);
  for (const BallPassage& b : all)
    p.events.push_back({b.t, ModelWriter::lane_key("bounce", b.ball), -1});
  p.t_end = std::ceil(8.0 * p.events.back().t) / 8.0;
  for (std::size_t i = 0; i < BouncingBalls::n; ++i) {
    const auto last = BouncingBalls::impacts(i).back();
    const long double s = static_cast<long double>(p.t_end) - last.t, v = -0.85L * last.v;
    p.final_values.push_back({ball_variable("y", i), static_cast<double>(s * (v - 9.81L / 2 * s))});
    p.final_values.push_back({ball_variable("v", i), static_cast<double>(v - 9.81L * s)});
  }
  p.jump_at = [all](std::size_t k, NamedState& x) {
    x[ball_variable("v", all[k].ball)] *= -BouncingBalls::restitution;
  };
  return p;
}

}  // namespace saltus::problems
