// Random DAEs of known characteristic values: a canonical form (differential equations, chains,
// equations 0 = 0, unknowns that occur nowhere) in disguise.
//
// The disguise is a change of unknowns z = q(t, x) and a mixing of equations P(t), both products of
// elementary ones that depend on time, then units of equations, unknowns and time. Neither changes
// the characteristic values.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <saltus/model.hpp>
#include <saltus/reduce.hpp>

namespace saltus::problems {

struct RandomDaeOptions {
  double unit_decades = 3.0;   // of equations and unknowns, and of time as a whole
  double block_decades = 3.0;  // time constants of the blocks among themselves
  bool nonlinear = false;      // changes of unknowns are nonlinear, too
  /// z' is written with factors that were multiplied in double precision: then it is the derivative
  /// of z up to rounding only.
  bool rounded = false;
};

struct RandomDae {
  std::unique_ptr<Model> model;
  CharacteristicValues truth;
  double t = 0.0;
  std::string text;  // for messages
};

class RandomDaeWriter {
 public:
  RandomDaeWriter(std::uint64_t seed, RandomDaeOptions options)
      : random_(seed), options_(options) {}

  RandomDae write() {
    RandomDae dae;
    dae.model = std::make_unique<Model>("random");
    Model& m = *dae.model;
    model_ = &m;
    choose_counts();
    const std::size_t n_rows = d_ + a_ + v_, n = d_ + a_ + u_;
    dae.truth = {mu_, d_, a_, v_, u_};
    const double time_unit = decades(options_.unit_decades);
    dae.t = time_unit * uniform(-1.0, 1.0);
    // In units of its own, time runs from -1 to 1.
    const Expr exact_time_unit = number(m, time_unit);
    time_ = m.time() / exact_time_unit;

    for (std::size_t i = 0; i < n; ++i) {
      const double unit = decades(options_.unit_decades);
      const Expr exact_unit = number(m, unit);
      Expr x = m.state("x" + std::to_string(i), unit * uniform(-1.0, 1.0));
      z_.push_back(x / exact_unit);
      zdot_.push_back(options_.rounded ? der(x) * number(m, time_unit / unit)
                                       : der(x) / exact_unit * exact_time_unit);
    }
    // What is free shows up somewhere.
    for (std::size_t i = d_ + a_; i < n; ++i) change_unknowns(below(d_ + a_), i);
    for (std::size_t k = 0; k < 3 * n; ++k) {
      const std::size_t a = below(n), b = below(n);
      if (a != b) change_unknowns(a, b);
    }
    std::vector<Expr> r = canonical_rows();
    mix_rows(r);
    for (std::size_t i = 0; i < n_rows; ++i) {
      m.equation("e" + std::to_string(i), decades(options_.unit_decades) * r[i] == 0.0);
    }
    m.allow_unequal_counts();
    dae.text = to_text(dae.truth) + " of " + std::to_string(n_rows) + " equations for " +
               std::to_string(n) + " unknowns";
    return dae;
  }

 private:
  double uniform(double lo, double hi) { return std::uniform_real_distribution(lo, hi)(random_); }
  std::uint32_t below(std::size_t n) {
    return static_cast<std::uint32_t>(
        std::uniform_int_distribution<std::size_t>(0, n - 1)(random_));
  }
  double decades(double spread) { return std::pow(10.0, uniform(-spread, spread)); }

  void choose_counts() {
    do {
      d_ = below(4);
      chains_.resize(below(3));
      for (std::uint32_t& c : chains_) c = 1 + below(4);
      a_ = 0;
      for (const std::uint32_t c : chains_) a_ += c;
    } while (d_ + a_ < 2);
    v_ = below(2);
    u_ = below(2);
    mu_ = chains_.empty() ? 0
                          : static_cast<int>(*std::max_element(chains_.begin(), chains_.end())) - 1;
  }

  /// A number that no product of numbers absorbs: products are rounded in quad.
  Expr number(Model& m, double value) {
    return m.parameter("p" + std::to_string(n_numbers_++), value);
  }

  /// A factor between -1 and 1, and its derivative.
  struct Factor {
    Expr value, derivative;
  };
  Factor factor() {
    const double size = uniform(-1.0, 1.0);
    const Expr w = number(*model_, uniform(0.3, 1.5));
    const Expr angle = w * time_ + uniform(0.0, 6.0);
    return {size * sin(angle), w * (size * cos(angle))};
  }

  /// z_a += c(t) z_b, or z_a += c(t) sin(z_b).
  void change_unknowns(std::size_t a, std::size_t b) {
    const Factor c = factor();
    const bool bend = options_.nonlinear && below(3) == 0;
    const Expr f = bend ? sin(z_[b]) : z_[b];
    const Expr fdot = bend ? cos(z_[b]) * zdot_[b] : zdot_[b];
    zdot_[a] = zdot_[a] + c.value * fdot + c.derivative * f;
    z_[a] = z_[a] + c.value * f;
  }

  std::vector<Expr> canonical_rows() {
    std::vector<Expr> r;
    for (std::uint32_t i = 0; i < d_; ++i) {
      Expr row = decades(options_.block_decades) * zdot_[i] - cos(time_ + uniform(0.0, 6.0));
      for (std::uint32_t j = 0; j < d_; ++j) row = row + uniform(-1.0, 1.0) * z_[j];
      r.push_back(row);
    }
    std::size_t first = d_;
    for (const std::uint32_t length : chains_) {
      const double tau = decades(options_.block_decades);
      for (std::size_t i = first; i < first + length; ++i) {
        Expr row = z_[i] - sin(uniform(0.5, 1.5) * time_ + uniform(0.0, 6.0));
        if (i + 1 < first + length) row = row + tau * zdot_[i + 1];
        r.push_back(row);
      }
      first += length;
    }
    for (std::uint32_t i = 0; i < v_; ++i) r.push_back(Expr(0.0));
    return r;
  }

  void mix_rows(std::vector<Expr>& r) {
    // A row 0 = 0 takes part in others, and others in it.
    for (std::size_t i = d_ + a_; i < r.size(); ++i) r[i] = factor().value * r[below(d_ + a_)];
    for (std::size_t k = 0; k < 3 * r.size(); ++k) {
      const std::size_t a = below(r.size()), b = below(r.size());
      if (a != b) r[a] = r[a] + factor().value * r[b];
    }
    std::shuffle(r.begin(), r.end(), random_);
  }

  std::mt19937_64 random_;
  RandomDaeOptions options_;
  std::uint32_t d_ = 0, a_ = 0, v_ = 0, u_ = 0;
  int mu_ = 0;
  std::vector<std::uint32_t> chains_;
  Model* model_ = nullptr;
  int n_numbers_ = 0;
  Expr time_;
  std::vector<Expr> z_, zdot_;
};

}  // namespace saltus::problems
