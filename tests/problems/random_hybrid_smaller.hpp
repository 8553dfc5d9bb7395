// Smaller models of random hybrid DAEs that still show something.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "problems/random_hybrid.hpp"

namespace saltus::problems {

/// The highest number of what relations read; -1: they do not.
class HybridReads {
 public:
  explicit HybridReads(const RandomHybrid& h) {
    for (const auto& piece : h.relays) note(piece.at);
    for (const auto& piece : h.kinks) note(piece.at);
    for (const auto& piece : h.switches) note(piece.at);
    for (const auto& piece : h.pairs) note(piece.at);
    for (const auto& piece : h.branches) note(piece.when);
    for (const auto& piece : h.clauses) note(piece.when);
    for (const auto& piece : h.samplers) follows_ = std::max(follows_, piece.follows);
  }
  std::int32_t last(RandomHybrid::Read what) const {
    std::int32_t found = -1;
    for (const RandomHybrid::Place& at : read_)
      if (at.what == what) found = std::max(found, static_cast<std::int32_t>(at.number));
    return found;
  }
  std::int32_t last_followed() const { return follows_; }

 private:
  void note(const RandomHybrid::Place& at) { read_.push_back(at); }
  void note(const RandomHybrid::Condition& c) {
    note(c.first.at);
    if (c.joined != RandomHybrid::Joined::alone) note(c.second.at);
  }
  std::vector<RandomHybrid::Place> read_;
  std::int32_t follows_ = -1;
};

/// One of the two relations of a condition alone.
template <class Piece>
void simpler(const RandomHybrid& h, std::vector<Piece> RandomHybrid::*member,
             std::vector<RandomHybrid>& found) {
  for (std::size_t k = 0; k < (h.*member).size(); ++k) {
    const RandomHybrid::Condition& when = (h.*member)[k].when;
    if (when.joined == RandomHybrid::Joined::alone) continue;
    for (const RandomHybrid::Test& test : {when.first, when.second}) {
      RandomHybrid less = h;
      (less.*member)[k].when = {test};
      found.push_back(std::move(less));
    }
  }
}

inline void simpler_balls(const RandomHybrid& h, std::vector<RandomHybrid>& found) {
  for (std::size_t k = 0; k < h.balls.size(); ++k) {
    const auto try_it = [&](bool differs, auto change) {
      if (!differs) return;
      RandomHybrid less = h;
      change(less.balls[k]);
      found.push_back(std::move(less));
    };
    const RandomHybrid::Ball& ball = h.balls[k];
    try_it(ball.carries, [](RandomHybrid::Ball& b) { b.carries = false; });
    try_it(ball.mu > 0, [](RandomHybrid::Ball& b) { b.mu = b.mu_static = 0.0; });
    try_it(ball.floor.size > 0, [](RandomHybrid::Ball& b) { b.floor = {}; });
    try_it(ball.pushes.by != 0, [](RandomHybrid::Ball& b) { b.pushes.by = 0.0; });
    try_it(ball.pushed_by.by != 0, [](RandomHybrid::Ball& b) { b.pushed_by.by = 0.0; });
  }
}

/// Those that lack one piece. States are kept: others are numbered by them. Of what is read the last ones can go, so that
/// numbers stay.
inline std::vector<RandomHybrid> without_one_piece(const RandomHybrid& h) {
  using Read = RandomHybrid::Read;
  std::vector<RandomHybrid> found;
  const HybridReads reads(h);
  const auto without = [&](auto member, std::int32_t last_read = -1) {
    for (std::size_t k = 0; k < (h.*member).size(); ++k) {
      if (static_cast<std::int32_t>(k) <= last_read) continue;
      RandomHybrid less = h;
      (less.*member).erase((less.*member).begin() + static_cast<std::ptrdiff_t>(k));
      found.push_back(std::move(less));
    }
  };
  without(&RandomHybrid::relays);
  without(&RandomHybrid::branches);
  without(&RandomHybrid::kinks);
  without(&RandomHybrid::pairs);
  without(&RandomHybrid::blocks);
  without(&RandomHybrid::clauses, reads.last(Read::count));
  without(&RandomHybrid::switches, reads.last(Read::memory));
  without(&RandomHybrid::balls, reads.last(Read::height));
  without(&RandomHybrid::implicit, reads.last(Read::implicit));
  without(&RandomHybrid::constrained, reads.last(Read::force));
  without(&RandomHybrid::samplers, reads.last_followed());
  simpler(h, &RandomHybrid::branches, found);
  simpler(h, &RandomHybrid::clauses, found);
  for (std::size_t k = 0; k < h.samplers.size(); ++k) {
    if (h.samplers[k].follows < 0) continue;
    RandomHybrid less = h;
    less.samplers[k].follows = -1;
    found.push_back(std::move(less));
  }
  simpler_balls(h, found);
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
