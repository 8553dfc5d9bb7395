// A random hybrid DAE as a program in Python.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "problems/random_hybrid.hpp"

namespace saltus::problems {

class RandomHybridText {
 public:
  explicit RandomHybridText(const RandomHybrid& h) : h_(h), term_(h.states.size()) {}

  std::string write() {
    out_ << "import saltus as sl\nfrom saltus import der, pre, sign, sin, where\n"
         << "m = sl.Model(\"random\"); t = m.time  # seed " << h_.seed << "\n";
    for (std::size_t i = 0; i < h_.states.size(); ++i) {
      out_ << "x" << i << " = m.state(\"x" << i << "\", " << h_.states[i].start << ")\n";
      if (has_gain(i)) out_ << "gain" << i << " = m.discrete(\"gain" << i << "\", 1.0)\n";
    }
    for (std::size_t k = 0; k < h_.switches.size(); ++k)
      out_ << "memory" << k << " = m.discrete(\"memory" << k << "\", 1.0)\n";
    write_algebraic();
    write_contacts();
    write_clauses();
    write_terms();
    write_rates();
    out_ << "for engine in (" << (h_.is_ode() ? "\"dop853\", " : "") << "\"radau\", \"ida\"):\n"
         << "    for tol in (1e-6, 1e-8):\n"
         << "        s = sl.simulate(m, " << h_.t_end << ", engine=engine, rtol=tol, atol=tol"
         << options() << ")\n"
         << "        print(engine, tol, s.message, [s(s.t[-1], \"x%d\" % i) for i in range("
         << h_.states.size() << ")], s.warnings)\n";
    return out_.str();
  }

 private:
  bool has_gain(std::size_t i) const {
    for (const RandomHybrid::Clause& c : h_.clauses)
      if ((c.does == RandomHybrid::Does::sets_gain || c.does == RandomHybrid::Does::only_sets) &&
          c.target == i)
        return true;
    return false;
  }
  static std::string wave(const RandomHybrid::Wave& w) {
    std::ostringstream text;
    text << w.size << " * sin(" << w.rate << " * t + " << w.phase << ")";
    return text.str();
  }
  static std::string times(const RandomHybrid::Coupling& c) {
    std::ostringstream text;
    text << " + " << c.by << " * x" << c.state;
    return text.str();
  }
  static std::string place(const RandomHybrid::Place& p) {
    constexpr const char* names[] = {"x", "z", "force", "t", "n", "memory", "y"};
    if (p.what == RandomHybrid::Read::time) return "t";
    return names[static_cast<int>(p.what)] + std::to_string(p.number);
  }
  static std::string test(const RandomHybrid::Test& t) {
    std::ostringstream text;
    text << "(" << place(t.at) << (t.above ? " > " : " < ") << t.level << ")";
    return text.str();
  }
  static std::string condition(const RandomHybrid::Condition& c) {
    using Joined = RandomHybrid::Joined;
    if (c.joined == Joined::alone) return test(c.first);
    const std::string both =
        test(c.first) + (c.joined == Joined::either ? " | " : " & ") + test(c.second);
    return c.joined == Joined::not_both ? "~(" + both + ")" : both;
  }

  void write_algebraic() {
    for (std::size_t k = 0; k < h_.implicit.size(); ++k) {
      out_ << "z" << k << " = m.algebraic(\"z" << k << "\")\n"
           << "m.equation(z" << k << " + " << h_.implicit[k].cubic << " * z" << k
           << "**3 == " << wave(h_.implicit[k].drive);
      for (const auto& c : h_.implicit[k].of) out_ << times(c);
      out_ << ")\n";
    }
    for (std::size_t k = 0; k < h_.constrained.size(); ++k) {
      const RandomHybrid::Constrained& c = h_.constrained[k];
      const char* motion = c.index == 3 ? "v" : "p";
      out_ << "force" << k << ", p" << k << " = m.algebraic(\"force" << k << "\"), m.algebraic(\"p"
           << k << "\")\n";
      if (c.index == 3)
        out_ << "v" << k << " = m.algebraic(\"v" << k << "\"); m.equation(der(p" << k << ") == v"
             << k << ")\n";
      out_ << "m.equation(der(" << motion << k << ") == force" << k << " - " << motion << k
           << times(c.pushed_by) << ", p" << k << " == " << wave(c.path) << ")\n";
      add(c.pushes.state) << " + " << c.pushes.by << " * force" << k;
    }
  }

  std::ostringstream& add(std::size_t state) { return term_[state]; }

  void write_clauses() {
    using Does = RandomHybrid::Does;
    for (std::size_t k = 0; k < h_.clauses.size(); ++k)
      out_ << "n" << k << " = m.discrete(\"n" << k << "\", 0.0)\n";
    for (std::size_t k = 0; k < h_.clauses.size(); ++k) {
      const RandomHybrid::Clause& c = h_.clauses[k];
      out_ << "m.when(" << condition(c.when) << ", {";
      if (c.does != Does::only_sets) out_ << "n" << k << ": pre(n" << k << ") + 1";
      if (c.does == Does::resets) out_ << ", x" << c.target << ": " << c.value;
      if (c.does == Does::kicks)
        out_ << ", x" << c.target << ": 0.5 * pre(x" << c.target << ") + " << c.value;
      if (c.does == Does::sets_gain) out_ << ", gain" << c.target << ": " << c.value;
      if (c.does == Does::only_sets) out_ << "gain" << c.target << ": " << c.value;
      out_ << "}, name=\"clause" << k << "\", priority=" << k << ")\n";
    }
    for (std::size_t k = 0; k < h_.switches.size(); ++k) {
      const RandomHybrid::Switch& s = h_.switches[k];
      const std::string set = ", {memory" + std::to_string(k) + ": ";
      out_ << "m.when(" << place(s.at) << " > " << s.high << set << "1.0}, name=\"on" << k
           << "\")\n"
           << "m.when(" << place(s.at) << " < " << s.low << set << "-1.0}, name=\"off" << k
           << "\")\n";
      add(s.drives) << " - " << s.gain << " * memory" << k;
    }
    for (std::size_t k = 0; k < h_.samplers.size(); ++k) {
      const RandomHybrid::Sampler& s = h_.samplers[k];
      out_ << "held" << k << " = m.discrete(\"held" << k << "\", 0.0)\n"
           << "m.when(m.every(" << s.start << ", " << s.interval << "), {held" << k << ": ";
      if (s.follows < 0)
        out_ << "x" << s.reads;
      else
        out_ << "pre(held" << s.follows << ")";
      out_ << "}, name=\"sampler" << k << "\")\n";
      add(s.drives) << " + " << s.gain << " * held" << k;
    }
  }

  void write_terms() {
    for (const RandomHybrid::Relay& r : h_.relays) {
      add(r.drives) << " - " << r.strength << " * sign(" << place(r.at) << " - (" << r.level;
      if (r.moves.size != 0) add(r.drives) << " + " << wave(r.moves);
      add(r.drives) << "))";
    }
    for (std::size_t k = 0; k < h_.branches.size(); ++k) {
      const RandomHybrid::Branch& b = h_.branches[k];
      add(b.drives) << " + where(";
      if (b.hysteresis > 0)
        add(b.drives) << "m.named(\"branch" << k << "\", " << condition(b.when) << ")";
      else
        add(b.drives) << condition(b.when);
      add(b.drives) << ", " << b.above << ", " << b.below << ")";
    }
    for (const RandomHybrid::Kink& kink : h_.kinks) {
      const bool is_abs = kink.bend == RandomHybrid::Bend::absolute;
      add(kink.drives) << " + " << kink.gain << " * "
                       << (is_abs                                     ? "abs"
                           : kink.bend == RandomHybrid::Bend::maximum ? "sl.maximum"
                                                                      : "sl.minimum")
                       << "(" << place(kink.at) << (is_abs ? " - " : ", ") << "(" << kink.level
                       << "))";
    }
  }

  /// What is to be said of a run beside engine and tolerances.
  std::string options() const {
    std::ostringstream late;
    for (std::size_t k = 0; k < h_.branches.size(); ++k)
      if (h_.branches[k].hysteresis > 0)
        late << (late.str().empty() ? "" : ", ") << "\"branch" << k
             << "\": " << h_.branches[k].hysteresis;
    return late.str().empty() ? "" : ", events={\"hysteresis\": {" + late.str() + "}}";
  }

  void write_contacts() {
    for (std::size_t k = 0; k < h_.blocks.size(); ++k) {
      const RandomHybrid::Block& b = h_.blocks[k];
      out_ << "s" << k << " = m.state(\"s" << k << "\", " << b.start << ")\n"
           << "m.equation(der(s" << k << ") == " << wave(b.drive) << " - 0.2 * s" << k
           << times(b.pushed_by) << " + m.friction(\"pad" << k << "\", s" << k << " - ("
           << wave(b.surface) << "), 1.0, " << b.mu << ", " << b.mu_static << "))\n";
      add(b.pushes.state) << " + " << b.pushes.by << " * s" << k;
    }
    for (std::size_t k = 0; k < h_.balls.size(); ++k) write_ball(k, h_.balls[k]);
  }
  void write_ball(std::size_t k, const RandomHybrid::Ball& b) {
    out_ << "y" << k << ", w" << k << " = m.state(\"y" << k << "\", " << b.start << "), m.state(\"w"
         << k << "\", 0.0)\n"
         << "floor" << k << " = m.unilateral(\"floor" << k << "\", y" << k << " - ("
         << wave(b.floor) << "), " << b.restitution << ")\n";
    if (b.carries)
      out_ << "m.simultaneous_impacts(\"one_by_one\")\n"
           << "above" << k << ", speed" << k << " = m.state(\"above" << k << "\", " << b.start + 0.5
           << "), m.state(\"speed" << k << "\", 0.0)\n"
           << "between" << k << " = m.unilateral(\"between" << k << "\", above" << k << " - y" << k
           << " - 0.3)\n"
           << "m.equation(der(above" << k << ") == speed" << k << ", der(speed" << k
           << ") == between" << k << " - 9.0)\n";
    out_ << "m.equation(der(y" << k << ") == w" << k << ", der(w" << k << ") == floor" << k
         << " - 9.0 - 0.1 * w" << k << times(b.pushed_by);
    if (b.carries) out_ << " - between" << k;
    out_ << ")\n";
    if (b.mu > 0)
      out_ << "u" << k << " = m.state(\"u" << k << "\", 1.0)\n"
           << "m.equation(der(u" << k << ") == " << wave(b.drive) << " - 0.3 * u" << k
           << " + m.friction(\"rub" << k << "\", u" << k << " - (" << wave(b.surface) << "), floor"
           << k << ", " << b.mu << ", " << b.mu_static << "))\n";
    add(b.pushes.state) << " + " << b.pushes.by << " * y" << k;
  }

  void write_rates() {
    for (std::size_t i = 0; i < h_.states.size(); ++i) {
      const RandomHybrid::State& s = h_.states[i];
      std::ostringstream rate;
      if (has_gain(i)) rate << "gain" << i << " * ";
      rate << wave(s.drive) << " - " << s.decay << " * x" << i << term_[i].str();
      for (const auto& c : s.of) rate << times(c);
      if (h_.pairs.empty() || h_.pairs.front().drives != i) {
        out_ << "m.equation(der(x" << i << ") == " << rate.str() << ")\n";
        continue;
      }
      const RandomHybrid::Pair& p = h_.pairs.front();
      if (p.stops) {
        out_ << "push = m.algebraic(\"push\")\n"
             << "m.equation(der(x" << i << ") == " << rate.str() << " + push)\n"
             << "one = m.mode(\"one\", push == 0.0)\n"
             << "other = m.mode(\"other\", x" << i << " == " << p.high << ")\n"
             << "m.transition(one, other, x" << i << " > " << p.high << ", name=\"stop\")\n"
             << "m.transition(other, one, push > " << p.low << ", name=\"free\")\n";
        continue;
      }
      out_ << "one = m.mode(\"one\", der(x" << i << ") == " << rate.str() << " + " << p.one << ")\n"
           << "other = m.mode(\"other\", der(x" << i << ") == " << rate.str() << " + " << p.other
           << ")\n"
           << "m.transition(one, other, " << place(p.at) << " > " << p.high << ", name=\"up\")\n"
           << "m.transition(other, one, " << place(p.at) << " < " << p.low << ", name=\"down\")\n";
    }
  }

  const RandomHybrid& h_;
  std::vector<std::ostringstream> term_;
  std::ostringstream out_;
};

inline std::string program_of(const RandomHybrid& h) { return RandomHybridText(h).write(); }

}  // namespace saltus::problems
