// A random hybrid DAE as a model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/model.hpp>

#include "problems/random_hybrid.hpp"

namespace saltus::problems {

class RandomHybridModel {
 public:
  /// All starts moved by so much.
  RandomHybridModel(const RandomHybrid& h, double moved) : h_(h), m_("random"), moved_(moved) {}

  std::shared_ptr<const ModelDefinition> build() {
    declare();
    write_clauses();
    write_terms();
    write_equations();
    return m_.build();
  }

 private:
  Expr wave(const RandomHybrid::Wave& w) {
    return w.size == 0 ? Expr(0.0) : w.size * sin(w.rate * m_.time() + w.phase);
  }
  Expr place(const RandomHybrid::Place& p) {
    switch (p.what) {
      case RandomHybrid::Read::state:
        return x_[p.number];
      case RandomHybrid::Read::implicit:
        return z_[p.number];
      case RandomHybrid::Read::force:
        return force_[p.number];
      case RandomHybrid::Read::time:
        break;
    }
    return m_.time();
  }
  static std::string numbered(const char* name, std::size_t k) { return name + std::to_string(k); }

  void declare() {
    for (std::size_t i = 0; i < h_.states.size(); ++i) {
      x_.push_back(m_.state(numbered("x", i), h_.states[i].start + moved_));
      gain_.push_back(m_.discrete(numbered("gain", i), 1.0));
      term_.push_back(Expr(0.0));
    }
    for (std::size_t k = 0; k < h_.implicit.size(); ++k)
      z_.push_back(m_.algebraic(numbered("z", k)));
    for (std::size_t k = 0; k < h_.constrained.size(); ++k) {
      const RandomHybrid::Constrained& c = h_.constrained[k];
      force_.push_back(m_.algebraic(numbered("force", k)));
      const Expr p = m_.algebraic(numbered("p", k));
      Expr motion = p;
      if (c.index == 3) {
        motion = m_.algebraic(numbered("v", k));
        m_.equation(der(p) == motion);
      }
      m_.equation(der(motion) == force_[k] - motion + c.pushed_by.by * x_[c.pushed_by.state]);
      m_.equation(p == wave(c.path));
    }
  }

  void write_clauses() {
    for (std::size_t k = 0; k < h_.clauses.size(); ++k) {
      const RandomHybrid::Clause& c = h_.clauses[k];
      const Expr n = m_.discrete(numbered("n", k), 0.0), at = place(c.at), x = x_[c.target];
      std::vector<Model::Set> sets{{n, pre(n) + 1.0}};
      if (c.does == RandomHybrid::Does::resets) sets.push_back({x, c.value});
      if (c.does == RandomHybrid::Does::kicks) sets.push_back({x, pre(x) + c.value});
      if (c.does == RandomHybrid::Does::sets_gain) sets.push_back({gain_[c.target], c.value});
      // The order in which they are carried out where they meet.
      m_.when(numbered("clause", k), c.rising ? at > c.level : at < c.level, std::move(sets),
              {.priority = static_cast<int>(k)});
    }
    for (std::size_t k = 0; k < h_.samplers.size(); ++k) {
      const RandomHybrid::Sampler& s = h_.samplers[k];
      const Expr held = m_.discrete(numbered("held", k), 0.0);
      m_.when(numbered("sampler", k), m_.every(numbered("clock", k), s.start, s.interval),
              {{held, x_[s.reads]}});
      term_[s.drives] = term_[s.drives] + s.gain * held;
    }
  }

  void write_terms() {
    for (const RandomHybrid::Relay& r : h_.relays)
      term_[r.drives] =
          term_[r.drives] - r.strength * sign(place(r.at) - (r.level + wave(r.moves)));
    for (const RandomHybrid::Branch& b : h_.branches)
      term_[b.drives] =
          term_[b.drives] + where(place(b.at) > b.level, Expr(b.above), Expr(b.below));
    for (std::size_t k = 0; k < h_.constrained.size(); ++k) {
      const RandomHybrid::Coupling& c = h_.constrained[k].pushes;
      term_[c.state] = term_[c.state] + c.by * force_[k];
    }
  }

  void write_equations() {
    for (std::size_t k = 0; k < h_.implicit.size(); ++k) {
      Expr sum = wave(h_.implicit[k].drive);
      for (const auto& c : h_.implicit[k].of) sum = sum + c.by * x_[c.state];
      m_.equation(z_[k] + h_.implicit[k].cubic * z_[k] * z_[k] * z_[k] == sum);
    }
    for (std::size_t i = 0; i < h_.states.size(); ++i) {
      const RandomHybrid::State& s = h_.states[i];
      Expr rate = gain_[i] * wave(s.drive) - s.decay * x_[i] + term_[i];
      for (const auto& c : s.of) rate = rate + c.by * x_[c.state];
      write_rate(i, rate);
    }
  }

  /// In both modes, where there are any.
  void write_rate(std::size_t i, const Expr& rate) {
    if (h_.pairs.empty() || h_.pairs.front().drives != i) {
      m_.equation(der(x_[i]) == rate);
      return;
    }
    const RandomHybrid::Pair& p = h_.pairs.front();
    const ModeId one = m_.mode("one"), other = m_.mode("other");
    m_.equation(one, der(x_[i]) == rate + p.one);
    m_.equation(other, der(x_[i]) == rate + p.other);
    m_.transition("up", one, other, place(p.at) > p.high);
    m_.transition("down", other, one, place(p.at) < p.low);
  }

  const RandomHybrid& h_;
  Model m_;
  double moved_;
  std::vector<Expr> x_, z_, force_, gain_, term_;
};

inline std::shared_ptr<const ModelDefinition> model_of(const RandomHybrid& h, double moved = 0.0) {
  return RandomHybridModel(h, moved).build();
}

}  // namespace saltus::problems
