// Successive shortest paths with potentials (Edmonds and Karp 1972, Tomizawa 1971), many disjoint
// paths per pass as in Hopcroft and Karp.
//
// The length of an entry is its slack d_j - c_i - order_ij >= 0. A pass finds the distance D of the
// nearest free unknown from the free equations, augments along disjoint paths of that length, and
// raises c_i and d_j by D minus their distance where that is positive: the slacks stay nonnegative
// and vanish on the matching. Of paths of equal length those with fewest entries are taken, so that
// (D, entries) grows from pass to pass and few passes are needed. One path per pass, the textbook
// form, looks at all of a long chain again and again.
#include "structure/assignment.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <saltus/core/error.hpp>

namespace saltus::detail {

namespace {

class TransversalSearch {
 public:
  explicit TransversalSearch(const SignatureMatrix& s)
      : s_(s), key_(s.n_unknowns, unreached), tried_(s.n_unknowns, 0), next_(s.n_equations()) {
    t_.unknown_of.assign(s.n_equations(), unmatched);
    t_.equation_of.assign(s.n_unknowns, unmatched);
    t_.equation_potential.assign(s.n_equations(), 0);
    t_.unknown_potential.assign(s.n_unknowns, 0);
    for (const SignatureMatrix::Entry& e : s.entries)
      t_.unknown_potential[e.unknown] = std::max(t_.unknown_potential[e.unknown], e.order);
  }

  void solve(std::span<const std::uint32_t> equations) {
    // A path has fewer entries than this, so a key orders by length, then by number of entries.
    per_slack_ = std::uint64_t{equations.size()} + 1;
    match_tight_entries(equations);
    std::uint32_t n_passes = 0;
    while (!free_.empty()) {
      find_keys();
      augment();
      raise_potentials();
      forget_keys();
      ++n_passes;
    }
    t_.n_passes = std::max(t_.n_passes, n_passes);
  }

  Transversal result() { return std::move(t_); }

 private:
  static constexpr std::uint64_t unreached = std::numeric_limits<std::uint64_t>::max();

  struct Reached {
    std::uint64_t key;
    std::uint32_t unknown;
    // The heap's greatest element is the nearest; ties by number, to be reproducible.
    friend bool operator<(const Reached& a, const Reached& b) {
      return a.key != b.key ? a.key > b.key : a.unknown > b.unknown;
    }
  };

  std::uint64_t step(std::uint32_t i, const SignatureMatrix::Entry& e) const {
    const std::uint64_t slack =
        std::uint64_t{t_.unknown_potential[e.unknown]} - t_.equation_potential[i] - e.order;
    return slack * per_slack_ + 1;
  }

  void match_tight_entries(std::span<const std::uint32_t> equations) {
    free_.clear();
    for (const std::uint32_t i : equations) {
      for (const SignatureMatrix::Entry& e : s_.row(i)) {
        ++t_.entries_read;
        if (t_.equation_of[e.unknown] != unmatched || step(i, e) != 1) continue;
        t_.unknown_of[i] = e.unknown;
        t_.equation_of[e.unknown] = i;
        break;
      }
      if (t_.unknown_of[i] == unmatched) free_.push_back(i);
    }
  }

  void reach_from(std::uint32_t i, std::uint64_t key) {
    for (const SignatureMatrix::Entry& e : s_.row(i)) {
      ++t_.entries_read;
      const std::uint64_t candidate = key + step(i, e);
      std::uint64_t& known = key_[e.unknown];
      if (candidate >= known || candidate > end_key_) continue;
      if (known == unreached) reached_.push_back(e.unknown);
      known = candidate;
      // Nothing beyond a free unknown is needed, and it may be nearer than any found so far.
      if (t_.equation_of[e.unknown] == unmatched) {
        end_key_ = candidate;
      } else {
        heap_.push_back({candidate, e.unknown});
        std::push_heap(heap_.begin(), heap_.end());
      }
    }
  }

  /// Dijkstra from all free equations at once, until the nearest free unknown.
  void find_keys() {
    end_key_ = unreached;
    heap_.clear();
    for (const std::uint32_t i : free_) reach_from(i, 0);
    while (!heap_.empty() && heap_.front().key < end_key_) {
      const Reached nearest = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
      if (nearest.key == key_[nearest.unknown])
        reach_from(t_.equation_of[nearest.unknown], nearest.key);
    }
    SALTUS_ASSERT(end_key_ != unreached);  // the block has a perfect matching
  }

  /// Disjoint shortest paths from as many free equations as possible.
  void augment() {
    // Potentials rise from the free equations of now, matched in this pass or not.
    sources_ = free_;
    free_.clear();
    for (const std::uint32_t i : sources_) {
      next_[i] = s_.row_start[i];
      if (!augment_from(i)) free_.push_back(i);
    }
  }

  bool augment_from(std::uint32_t source) {
    path_.assign(1, {0, source});
    while (!path_.empty()) {
      const auto [key, i] = path_.back();
      if (next_[i] == s_.row_start[i + 1]) {
        path_.pop_back();
        if (!path_.empty()) ++next_[path_.back().equation];
        continue;
      }
      ++t_.entries_read;
      const SignatureMatrix::Entry& e = s_.entries[next_[i]];
      const bool is_shortest = key + step(i, e) == key_[e.unknown];
      if (is_shortest && tried_[e.unknown] == 0 && key_[e.unknown] <= end_key_) {
        tried_[e.unknown] = 1;
        const std::uint32_t owner = t_.equation_of[e.unknown];
        if (owner == unmatched) {
          take_path();
          return true;
        }
        next_[owner] = s_.row_start[owner];
        path_.push_back({key_[e.unknown], owner});
      } else {
        ++next_[i];
      }
    }
    return false;
  }

  void take_path() {
    for (const PathEntry& p : path_) {
      const std::uint32_t j = s_.entries[next_[p.equation]].unknown;
      t_.unknown_of[p.equation] = j;
      t_.equation_of[j] = p.equation;
    }
  }

  /// An equation rises with the unknown it was matched with when the keys were found. On a path
  /// that was taken all slacks vanish anew, so the unknown it is matched with now rises as much.
  void raise_potentials() {
    const std::uint64_t length = end_key_ / per_slack_;
    if (length == 0) return;
    for (const std::uint32_t i : sources_) raise(t_.equation_potential[i], length);
    for (const std::uint32_t j : reached_) {
      const std::uint64_t distance = key_[j] / per_slack_;
      if (distance < length) raise(t_.unknown_potential[j], length - distance);
    }
    // Equations follow: on the matching the slack is zero, before and after.
    for (const std::uint32_t j : reached_) {
      const std::uint32_t i = t_.equation_of[j];
      if (i == unmatched) continue;
      const auto entry =
          std::ranges::lower_bound(s_.row(i), j, {}, &SignatureMatrix::Entry::unknown);
      t_.equation_potential[i] = t_.unknown_potential[j] - entry->order;
    }
  }

  static void raise(std::uint32_t& potential, std::uint64_t by) {
    SALTUS_ASSERT(by <= std::numeric_limits<std::uint32_t>::max() - potential);
    potential += static_cast<std::uint32_t>(by);
  }

  void forget_keys() {
    for (const std::uint32_t j : reached_) {
      key_[j] = unreached;
      tried_[j] = 0;
    }
    reached_.clear();
  }

  struct PathEntry {
    std::uint64_t key;
    std::uint32_t equation;
  };

  const SignatureMatrix& s_;
  Transversal t_;
  std::uint64_t per_slack_ = 1;
  std::uint64_t end_key_ = unreached;
  std::vector<std::uint32_t> free_;     // equations without an unknown
  std::vector<std::uint32_t> sources_;  // those of this pass
  std::vector<std::uint64_t> key_;      // per unknown
  std::vector<std::uint8_t> tried_;     // per unknown: part of a path of this pass
  std::vector<std::uint32_t> reached_;  // unknowns with a key
  std::vector<Reached> heap_;
  std::vector<std::uint32_t> next_;  // per equation: the entry to try next
  std::vector<PathEntry> path_;
};

}  // namespace

Transversal highest_value_transversal(const SignatureMatrix& diagonal,
                                      const BlockTriangularForm& form) {
  TransversalSearch search(diagonal);
  for (const BlockTriangularForm::Block& block : form.blocks) search.solve(block.equations);
  return search.result();
}

}  // namespace saltus::detail
