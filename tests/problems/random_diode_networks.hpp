// Random networks of diodes, resistors, capacitors and a coil, fed by sines of current.
//
// All parts are passive, so there is one solution: if Kirchhoff's laws hold (they are the equations) and every diode
// satisfies voltage <= 0, current >= 0, voltage * current = 0 all the time, it is that one.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

class RandomDiodeNetwork {
 public:
  explicit RandomDiodeNetwork(std::uint32_t seed) : m_("random diodes"), numbers_(seed) {
    const int n_nodes = whole(2, 5);
    n_diodes_ = whole(2, 5);
    for (int k = 0; k < n_nodes; ++k) add_node(k);
    for (int k = 0; k < n_diodes_; ++k) add_diode(k);
    if (between(0, 1) < 0.6) add_coil();
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      m_.equation("node " + std::to_string(k), leaving_[k] == 0.0);
  }

  const Model& model() const { return m_; }

  /// The largest of what no diode allows, at many times.
  double violation(const Solution& s) const {
    constexpr int n_times = 400;
    double worst = 0.0;
    for (int j = 0; j <= n_times; ++j) {
      const double t = s.report.t_reached * j / n_times;
      for (int k = 0; k < n_diodes_; ++k) {
        const double v = s.at("v" + std::to_string(k), t), i = s.at("i" + std::to_string(k), t);
        worst = std::max({worst, v, -i, std::min(-v, i)});
      }
    }
    return worst;
  }

 private:
  double between(double a, double b) {
    return a + (b - a) * static_cast<double>(numbers_()) / 4294967296.0;
  }
  int whole(int a, int b) { return a + static_cast<int>(between(0, b - a + 0.999999)); }

  /// A capacitor or a resistor to ground with a source beside it, both, or now and then nothing: then only diodes
  /// tell its potential.
  void add_node(int k) {
    const std::string name = "e" + std::to_string(k);
    const bool has_c = between(0, 1) < 0.5, has_r = between(0, 1) < (has_c ? 0.7 : 0.85);
    const Expr e = has_c ? m_.state(name, 0.0) : m_.algebraic(name);
    Expr out = 0.0;
    if (has_c) out = out + between(0.1, 1) * der(e);
    if (has_r) out = out + between(0.3, 3) * e;
    if (has_c || has_r) {
      const double rate = between(1, 6), phase = between(0, 1) < 0.5 ? 0.0 : between(0, 6);
      out = out - between(0.5, 3) * sin(rate * m_.time() + phase);
    } else {
      bare_.push_back(k);
    }
    nodes_.push_back(e);
    leaving_.push_back(out);
  }

  Expr potential(int node) const {
    return node < 0 ? Expr(0.0) : nodes_[static_cast<std::size_t>(node)];
  }
  void carry(int from, int to, const Expr& current) {
    if (from >= 0) leaving_[static_cast<std::size_t>(from)] += current;
    if (to >= 0) leaving_[static_cast<std::size_t>(to)] -= current;
  }

  /// The first ones at nodes that have nothing else.
  void add_diode(int k) {
    const int n = static_cast<int>(nodes_.size());
    int from = whole(-1, n - 1), to = whole(-1, n - 1);
    if (!bare_.empty()) {
      from = bare_.back();
      bare_.pop_back();
    }
    if (from == to) to = from == -1 ? 0 : from - 1;
    const std::string number = std::to_string(k);
    const Expr i = m_.algebraic("i" + number), v = potential(from) - potential(to);
    carry(from, to, i);
    m_.output("v" + number, v);
    m_.diode("D" + number, v, i);
  }

  void add_coil() {
    const Expr j = m_.state("coil", 0.0);
    m_.equation("coil", between(0.1, 1) * der(j) == potential(0) - potential(1));
    carry(0, 1, j);
  }

  Model m_;
  std::mt19937 numbers_;
  int n_diodes_ = 0;
  std::vector<int> bare_;
  std::vector<Expr> nodes_, leaving_;
};

}  // namespace saltus::problems
