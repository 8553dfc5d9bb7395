// Random systems with relays, of two or three unknowns and one or two surfaces g_k = w_k . x - d_k - e_k t:
//
//   x' = F_0(x) + sum_k s_k F_k(x),  s_k = sign g_k,  F_k(x) = A_k x + b_k.
//
// A_k = 0 is a relay in the narrow sense, any other A_k makes different matrices of the two sides. On surfaces
// that are kept s_k is replaced by u_k in (-1, 1) with g_k' = 0: a linear system for u, so the motion is
// affine again if all A_k are zero, and rational in x otherwise.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

struct AffineField {
  std::vector<std::vector<double>> a;  // rows
  std::vector<double> b;
};

struct RelaySurface {
  std::vector<double> w;
  double d = 0.0, e = 0.0;
};

enum class RelayWriting : std::uint8_t {
  as_is,      // where(g > 0, 1, -1)
  flipped,    // where(-g > 0, -1, 1): the same system
  signs,      // sign(g)
  algebraic,  // each relay's output is an unknown: a DAE of index 1
  products,   // each relay's force is: for different matrices an equation with products of unknowns
  cubes,  // as the former with s^3 for s: the same on both sides, and so is the mixture of their motions
};

struct RelaySystem {
  std::uint64_t seed = 0;
  std::uint32_t n = 0, m = 0;
  std::vector<AffineField> f;  // F_0, …, F_m
  std::vector<RelaySurface> surfaces;
  std::vector<double> start;
  std::vector<std::uint8_t> starts_on;  // per surface
  double t_end = 5.0;

  bool has_constant_relays() const {
    for (std::uint32_t k = 1; k <= m; ++k) {
      for (const auto& row : f[k].a) {
        for (const double v : row) {
          if (v != 0) return false;
        }
      }
    }
    return true;
  }
  static std::string relation(std::uint32_t k) { return "g" + std::to_string(k + 1); }
  std::shared_ptr<const ModelDefinition> model(RelayWriting writing = RelayWriting::as_is) const;
};

inline std::shared_ptr<const ModelDefinition> RelaySystem::model(RelayWriting writing) const {
  Model model("relays " + std::to_string(seed));
  std::vector<Expr> x, s;
  for (std::uint32_t i = 0; i < n; ++i) {
    x.push_back(model.state("x" + std::to_string(i + 1), start[i]));
  }
  const auto affine = [&](const std::vector<double>& row, double constant) {
    Expr sum(0.0);
    for (std::uint32_t j = 0; j < n; ++j) {
      if (row[j] != 0) sum = sum + row[j] * x[j];
    }
    return constant != 0 ? sum + constant : sum;
  };
  for (std::uint32_t k = 0; k < m; ++k) {
    Expr g = affine(surfaces[k].w, -surfaces[k].d);
    if (surfaces[k].e != 0) g = g - surfaces[k].e * model.time();
    switch (writing) {
      case RelayWriting::as_is:
        s.push_back(where(model.named(relation(k), g > 0.0), Expr(1.0), Expr(-1.0)));
        break;
      case RelayWriting::flipped:
        s.push_back(where(model.named(relation(k), -g > 0.0), Expr(-1.0), Expr(1.0)));
        break;
      case RelayWriting::signs:
        s.push_back(sign(g));
        break;
      case RelayWriting::algebraic:
      case RelayWriting::products:
      case RelayWriting::cubes:
        s.push_back(model.algebraic("s" + std::to_string(k + 1)));
        model.equation(s.back() == where(model.named(relation(k), g > 0.0), Expr(1.0), Expr(-1.0)));
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    Expr right = affine(f[0].a[i], f[0].b[i]);
    for (std::uint32_t k = 0; k < m; ++k) {
      const Expr strength = writing == RelayWriting::cubes ? s[k] * s[k] * s[k] : s[k];
      const Expr force = strength * affine(f[k + 1].a[i], f[k + 1].b[i]);
      if (writing == RelayWriting::products || writing == RelayWriting::cubes) {
        Expr unknown = model.algebraic("f" + std::to_string(k + 1) + std::to_string(i + 1));
        model.equation(unknown == force);
        right = right + unknown;
      } else {
        right = right + force;
      }
    }
    model.equation(der(x[i]) == right);
  }
  return model.build();
}

/// Numbers are multiples of 1/256 in starts and surfaces, so that g = 0 is exact where a run begins on it, and
/// of 2^-16 elsewhere.
class RelayWriter {
 public:
  explicit RelayWriter(std::uint64_t seed) : seed_(seed), random_(seed) {}

  RelaySystem write() {
    RelaySystem s;
    s.seed = seed_;
    s.n = chance(0.5) ? 2 : 3;
    s.m = chance(0.7) ? 1 : 2;
    const bool two_matrices = chance(0.3), moves = chance(0.25), on_surface = chance(0.2);
    const bool on_all = chance(0.3);
    s.f.push_back(field(s.n, 1.2, 0.5));
    for (std::uint32_t i = 0; i < s.n; ++i) s.f[0].a[i][i] -= 0.25;
    for (std::uint32_t i = 0; i < s.n; ++i) s.start.push_back(between(1.0, 256));
    for (std::uint32_t k = 0; k < s.m; ++k) {
      RelaySurface surface;
      for (std::uint32_t i = 0; i < s.n; ++i) surface.w.push_back(between(1.0, 64));
      // No surface lies almost across the axes' unit: its function has the size of the unknowns.
      surface.w[(seed_ + k) % s.n] = chance(0.5) ? 1.0 : -1.0;
      surface.d = between(0.3, 64);
      if (moves) surface.e = between(0.3, 64);
      const bool on = on_surface && (on_all || k == 0);
      if (on) {
        surface.d = 0.0;
        for (std::uint32_t i = 0; i < s.n; ++i) surface.d += surface.w[i] * s.start[i];
      }
      s.starts_on.push_back(on);
      AffineField relay = field(s.n, two_matrices && k == 0 ? 0.4 : 0.0, 1.0);
      double towards = 0.0;
      for (std::uint32_t i = 0; i < s.n; ++i) towards += surface.w[i] * relay.b[i];
      // Most relays lead to their surface; a start on one that does not is not unique as a rule.
      if (towards > 0 && chance(on_surface ? 0.92 : 0.75)) {
        for (double& v : relay.b) v = -v;
      }
      s.f.push_back(std::move(relay));
      s.surfaces.push_back(std::move(surface));
    }
    return s;
  }

 private:
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(random_) < p; }
  double between(double largest, double parts) {
    const double v = std::uniform_real_distribution<double>(-largest, largest)(random_);
    return std::round(v * parts) / parts;
  }
  AffineField field(std::uint32_t n, double largest_a, double largest_b) {
    AffineField f;
    for (std::uint32_t i = 0; i < n; ++i) {
      f.a.emplace_back();
      for (std::uint32_t j = 0; j < n; ++j) f.a[i].push_back(between(largest_a, 65536));
      f.b.push_back(between(largest_b, 65536));
    }
    return f;
  }

  std::uint64_t seed_;
  std::mt19937_64 random_;
};

}  // namespace saltus::problems
