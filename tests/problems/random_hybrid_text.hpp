// A random hybrid DAE as a program in Python, and simpler ones.
#pragma once

#include <algorithm>
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
    write_algebraic();
    write_clauses();
    write_terms();
    write_rates();
    out_ << "for engine in (" << (h_.is_ode() ? "\"dop853\", " : "") << "\"radau\", \"ida\"):\n"
         << "    for tol in (1e-6, 1e-8):\n"
         << "        s = sl.simulate(m, " << h_.t_end << ", engine=engine, rtol=tol, atol=tol)\n"
         << "        print(engine, tol, s.message, [s(s.t[-1], \"x%d\" % i) for i in range("
         << h_.states.size() << ")], s.warnings)\n";
    return out_.str();
  }

 private:
  bool has_gain(std::size_t i) const {
    for (const RandomHybrid::Clause& c : h_.clauses)
      if (c.does == RandomHybrid::Does::sets_gain && c.target == i) return true;
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
    constexpr const char* names[] = {"x", "z", "force"};
    if (p.what == RandomHybrid::Read::time) return "t";
    return names[static_cast<int>(p.what)] + std::to_string(p.number);
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
    for (std::size_t k = 0; k < h_.clauses.size(); ++k) {
      const RandomHybrid::Clause& c = h_.clauses[k];
      out_ << "n" << k << " = m.discrete(\"n" << k << "\", 0.0)\n"
           << "m.when(" << place(c.at) << (c.rising ? " > " : " < ") << c.level << ", {n" << k
           << ": pre(n" << k << ") + 1";
      if (c.does == RandomHybrid::Does::resets) out_ << ", x" << c.target << ": " << c.value;
      if (c.does == RandomHybrid::Does::kicks)
        out_ << ", x" << c.target << ": pre(x" << c.target << ") + " << c.value;
      if (c.does == RandomHybrid::Does::sets_gain) out_ << ", gain" << c.target << ": " << c.value;
      out_ << "}, name=\"clause" << k << "\", priority=" << k << ")\n";
    }
    for (std::size_t k = 0; k < h_.samplers.size(); ++k) {
      const RandomHybrid::Sampler& s = h_.samplers[k];
      out_ << "held" << k << " = m.discrete(\"held" << k << "\", 0.0)\n"
           << "m.when(m.every(" << s.start << ", " << s.interval << "), {held" << k << ": x"
           << s.reads << "}, name=\"sampler" << k << "\")\n";
      add(s.drives) << " + " << s.gain << " * held" << k;
    }
  }

  void write_terms() {
    for (const RandomHybrid::Relay& r : h_.relays) {
      add(r.drives) << " - " << r.strength << " * sign(" << place(r.at) << " - (" << r.level;
      if (r.moves.size != 0) add(r.drives) << " + " << wave(r.moves);
      add(r.drives) << "))";
    }
    for (const RandomHybrid::Branch& b : h_.branches)
      add(b.drives) << " + where(" << place(b.at) << " > " << b.level << ", " << b.above << ", "
                    << b.below << ")";
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

/// Those that lack one piece. States are kept: others are numbered by them.
inline std::vector<RandomHybrid> without_one_piece(const RandomHybrid& h) {
  std::vector<RandomHybrid> found;
  const auto without = [&](auto member) {
    for (std::size_t k = 0; k < (h.*member).size(); ++k) {
      RandomHybrid less = h;
      (less.*member).erase((less.*member).begin() + static_cast<std::ptrdiff_t>(k));
      found.push_back(std::move(less));
    }
  };
  without(&RandomHybrid::relays);
  without(&RandomHybrid::branches);
  without(&RandomHybrid::clauses);
  without(&RandomHybrid::samplers);
  without(&RandomHybrid::pairs);
  const auto reads = [&](RandomHybrid::Read what) {
    const auto is = [&](const auto& piece) { return piece.at.what == what; };
    return std::any_of(h.relays.begin(), h.relays.end(), is) ||
           std::any_of(h.branches.begin(), h.branches.end(), is) ||
           std::any_of(h.clauses.begin(), h.clauses.end(), is) ||
           std::any_of(h.pairs.begin(), h.pairs.end(), is);
  };
  if (!reads(RandomHybrid::Read::implicit)) without(&RandomHybrid::implicit);
  if (!reads(RandomHybrid::Read::force)) without(&RandomHybrid::constrained);
  for (std::size_t i = 0; i < h.states.size(); ++i) {
    if (h.states[i].of.empty()) continue;
    RandomHybrid less = h;
    less.states[i].of.clear();
    found.push_back(std::move(less));
  }
  return found;
}

/// The smallest that still shows what `shows` finds, one piece less at a time.
template <class Shows>
RandomHybrid smallest_that(RandomHybrid h, Shows&& shows) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (RandomHybrid& less : without_one_piece(h)) {
      if (!shows(less)) continue;
      h = std::move(less);
      smaller = true;
      break;
    }
  }
  return h;
}

}  // namespace saltus::problems
