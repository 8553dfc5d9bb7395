// A random hybrid DAE as a model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/model.hpp>

#include "problems/random_hybrid_maker.hpp"

namespace saltus::problems {

/// The solution is moved aside: all starts, or all x at a later time.
struct Moved {
  double by = 0.0;
  double at = 0.0;  // 0: the start
};

class RandomHybridModel {
 public:
  RandomHybridModel(const RandomHybrid& h, const Moved& moved)
      : h_(h), m_("random"), moved_(moved), start_(moved.at == 0 ? moved.by : 0.0) {}

  std::shared_ptr<const ModelDefinition> build() {
    declare();
    write_contacts();
    write_clauses();
    write_samplers();
    if (moved_.at > 0) move_later();
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
      case RandomHybrid::Read::count:
        return n_[p.number];
      case RandomHybrid::Read::memory:
        return memory_[p.number];
      case RandomHybrid::Read::height:
        return height_[p.number];
      case RandomHybrid::Read::time:
        break;
    }
    return m_.time();
  }
  Cond test(const RandomHybrid::Test& t) {
    return t.above ? place(t.at) > t.level : place(t.at) < t.level;
  }
  Cond condition(const RandomHybrid::Condition& c) {
    using Joined = RandomHybrid::Joined;
    const Cond first = test(c.first);
    if (c.joined == Joined::alone) return first;
    const Cond second = test(c.second);
    if (c.joined == Joined::both) return first && second;
    return c.joined == Joined::either ? first || second : !(first && second);
  }
  Expr coupling(const RandomHybrid::Coupling& c) { return c.by * x_[c.state]; }
  void add(std::uint32_t state, const Expr& term) { term_[state] = term_[state] + term; }
  static std::string numbered(const char* name, std::size_t k) { return name + std::to_string(k); }

  void declare() {
    for (std::size_t i = 0; i < h_.states.size(); ++i) {
      x_.push_back(m_.state(numbered("x", i), h_.states[i].start + start_));
      gain_.push_back(m_.discrete(numbered("gain", i), 1.0));
      term_.push_back(Expr(0.0));
    }
    for (std::size_t k = 0; k < h_.switches.size(); ++k)
      memory_.push_back(m_.discrete(numbered("memory", k), 1.0));
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
    using Does = RandomHybrid::Does;
    for (std::size_t k = 0; k < h_.clauses.size(); ++k)
      n_.push_back(m_.discrete(numbered("n", k), 0.0));
    for (std::size_t k = 0; k < h_.clauses.size(); ++k) {
      const RandomHybrid::Clause& c = h_.clauses[k];
      const Expr n = n_[k], x = x_[c.target], gain = gain_[c.target];
      std::vector<Model::Set> sets;
      if (c.does != Does::only_sets) sets.push_back({n, pre(n) + 1.0});
      if (c.does == Does::resets) sets.push_back({x, c.value});
      if (c.does == Does::kicks) sets.push_back({x, 0.5 * pre(x) + c.value});
      if (c.does == Does::sets_gain || c.does == Does::only_sets) sets.push_back({gain, c.value});
      // The order in which they are carried out where they meet.
      m_.when(numbered("clause", k), condition(c.when), std::move(sets),
              {.priority = static_cast<int>(k)});
    }
    for (std::size_t k = 0; k < h_.switches.size(); ++k) {
      const RandomHybrid::Switch& s = h_.switches[k];
      const Expr memory = memory_[k], at = place(s.at);
      m_.when(numbered("on", k), at > s.high, {{memory, 1.0}});
      m_.when(numbered("off", k), at < s.low, {{memory, -1.0}});
      add(s.drives, -s.gain * memory);
    }
  }

  void move_later() {
    std::vector<Model::Set> sets;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const bool may_be_held =
          !h_.pairs.empty() && h_.pairs.front().stops && h_.pairs.front().drives == i;
      if (!may_be_held) sets.push_back({x_[i], pre(x_[i]) + moved_.by});
    }
    if (!sets.empty()) m_.when("moved", m_.time() > moved_.at, std::move(sets));
  }

  void write_samplers() {
    std::vector<Expr> held;
    for (std::size_t k = 0; k < h_.samplers.size(); ++k) {
      const RandomHybrid::Sampler& s = h_.samplers[k];
      held.push_back(m_.discrete(numbered("held", k), 0.0));
      const Expr seen = s.follows < 0 ? x_[s.reads] : pre(held[s.follows]);
      m_.when(numbered("sampler", k), m_.every(numbered("clock", k), s.start, s.interval),
              {{held[k], seen}});
      add(s.drives, s.gain * held[k]);
    }
  }

  /// Blocks and balls, which clauses may read.
  void write_contacts() {
    for (std::size_t k = 0; k < h_.blocks.size(); ++k) {
      const RandomHybrid::Block& b = h_.blocks[k];
      const Expr s = m_.state(numbered("s", k), b.start + start_);
      const Expr friction = m_.friction(numbered("pad", k), s - wave(b.surface), Expr(1.0),
                                        {.mu_kinetic = b.mu, .mu_static = Expr(b.mu_static)});
      m_.equation(der(s) == wave(b.drive) - 0.2 * s + coupling(b.pushed_by) + friction);
      add(b.pushes.state, b.pushes.by * s);
    }
    for (std::size_t k = 0; k < h_.balls.size(); ++k) write_ball(k, h_.balls[k]);
  }
  void write_ball(std::size_t k, const RandomHybrid::Ball& b) {
    constexpr double weight = 9.0;
    const Expr y = m_.state(numbered("y", k), b.start + start_);
    const Expr w = m_.state(numbered("w", k), 0.0);
    const Expr contact =
        m_.unilateral(numbered("floor", k), y - wave(b.floor), {.restitution = b.restitution});
    m_.equation(der(y) == w);
    Expr force = contact - weight - 0.1 * w + coupling(b.pushed_by);
    if (b.carries) {
      m_.simultaneous_impacts(ImpactLaw::one_by_one);
      const Expr above = m_.state(numbered("above", k), b.start + 0.5 + start_);
      const Expr speed = m_.state(numbered("speed", k), 0.0);
      const Expr between = m_.unilateral(numbered("between", k), above - y - 0.3);
      m_.equation(der(above) == speed);
      m_.equation(der(speed) == between - weight);
      force = force - between;
    }
    m_.equation(der(w) == force);
    if (b.mu > 0) {
      const Expr u = m_.state(numbered("u", k), 1.0);
      const Expr friction = m_.friction(numbered("rub", k), u - wave(b.surface), contact,
                                        {.mu_kinetic = b.mu, .mu_static = Expr(b.mu_static)});
      m_.equation(der(u) == wave(b.drive) - 0.3 * u + friction);
    }
    height_.push_back(y);
    add(b.pushes.state, b.pushes.by * y);
  }

  void write_terms() {
    for (const RandomHybrid::Relay& r : h_.relays)
      add(r.drives, -r.strength * sign(place(r.at) - (r.level + wave(r.moves))));
    for (std::size_t k = 0; k < h_.branches.size(); ++k) {
      const RandomHybrid::Branch& b = h_.branches[k];
      Cond when = condition(b.when);
      if (b.hysteresis > 0) when = m_.named(numbered("branch", k), when);
      add(b.drives, where(when, Expr(b.above), Expr(b.below)));
    }
    for (const RandomHybrid::Kink& kink : h_.kinks) {
      const Expr at = place(kink.at);
      const Expr bent = kink.bend == RandomHybrid::Bend::absolute  ? abs(at - kink.level)
                        : kink.bend == RandomHybrid::Bend::maximum ? max(at, Expr(kink.level))
                                                                   : min(at, Expr(kink.level));
      add(kink.drives, kink.gain * bent);
    }
    for (std::size_t k = 0; k < h_.constrained.size(); ++k)
      add(h_.constrained[k].pushes.state, h_.constrained[k].pushes.by * force_[k]);
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
    if (p.stops) {
      const Expr push = m_.algebraic("push");
      m_.equation(der(x_[i]) == rate + push);
      m_.equation(one, push == 0.0);
      m_.equation(other, x_[i] == p.high);
      m_.transition("stop", one, other, x_[i] > p.high);
      m_.transition("free", other, one, push > p.low);
      return;
    }
    m_.equation(one, der(x_[i]) == rate + p.one);
    m_.equation(other, der(x_[i]) == rate + p.other);
    m_.transition("up", one, other, place(p.at) > p.high);
    m_.transition("down", other, one, place(p.at) < p.low);
  }

  const RandomHybrid& h_;
  Model m_;
  Moved moved_;
  double start_;  // by how much starts are moved
  std::vector<Expr> x_, z_, force_, height_, gain_, memory_, n_, term_;
};

inline std::shared_ptr<const ModelDefinition> model_of(const RandomHybrid& h,
                                                       const Moved& moved = {}) {
  return RandomHybridModel(h, moved).build();
}

}  // namespace saltus::problems
