// Hopcroft and Karp: in every pass, as many disjoint shortest augmenting paths as there are room for.
#include <limits>
#include <utility>

#include <saltus/structure/blocks.hpp>

#include "structure/signature.hpp"

namespace saltus {

namespace {

class HopcroftKarp {
 public:
  explicit HopcroftKarp(const SignatureMatrix& s) : s_(s), layer_(s.n_equations()) {
    m_.unknown_of.assign(s.n_equations(), unmatched);
    m_.equation_of.assign(s.n_unknowns, unmatched);
  }

  Matching run() {
    match_greedily();
    while (find_layers()) {
      next_.assign(s_.row_start.begin(), s_.row_start.end() - 1);
      for (std::uint32_t i = 0; i < s_.n_equations(); ++i)
        if (m_.unknown_of[i] == unmatched) augment_from(i);
    }
    return std::move(m_);
  }

 private:
  static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

  void match(std::uint32_t equation, std::uint32_t unknown) {
    m_.unknown_of[equation] = unknown;
    m_.equation_of[unknown] = equation;
  }

  void match_greedily() {
    for (std::uint32_t i = 0; i < s_.n_equations(); ++i)
      for (const SignatureMatrix::Entry& e : s_.row(i)) {
        ++m_.entries_read;
        if (m_.equation_of[e.unknown] != unmatched) continue;
        match(i, e.unknown);
        ++m_.size;
        break;
      }
  }

  /// Distances from the free equations along alternating paths, no further than the nearest free
  /// unknown; false if there is none.
  bool find_layers() {
    layer_.assign(s_.n_equations(), unreached);
    queue_.clear();
    for (std::uint32_t i = 0; i < s_.n_equations(); ++i)
      if (m_.unknown_of[i] == unmatched) {
        layer_[i] = 0;
        queue_.push_back(i);
      }
    last_layer_ = unreached;
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      const std::uint32_t i = queue_[at];
      if (layer_[i] >= last_layer_) break;
      for (const SignatureMatrix::Entry& e : s_.row(i)) {
        ++m_.entries_read;
        const std::uint32_t next = m_.equation_of[e.unknown];
        if (next == unmatched) {
          last_layer_ = layer_[i] + 1;
        } else if (layer_[next] == unreached) {
          layer_[next] = layer_[i] + 1;
          queue_.push_back(next);
        }
      }
    }
    return last_layer_ != unreached;
  }

  /// Depth first along the layers; every entry is tried once per pass. Paths of one pass are disjoint
  /// by the layers: an unknown that was just taken belongs to an equation of a layer too low.
  void augment_from(std::uint32_t free_equation) {
    path_.assign(1, free_equation);
    while (!path_.empty()) {
      const std::uint32_t i = path_.back();
      if (next_[i] == s_.row_start[i + 1]) {
        path_.pop_back();  // a dead end: whoever came here goes on with its next entry
        if (!path_.empty()) ++next_[path_.back()];
        continue;
      }
      ++m_.entries_read;
      const std::uint32_t j = s_.entries[next_[i]].unknown;
      const std::uint32_t owner = m_.equation_of[j];
      if (owner == unmatched && layer_[i] + 1 == last_layer_) {
        for (const std::uint32_t equation : path_)
          match(equation, s_.entries[next_[equation]].unknown);
        ++m_.size;
        return;
      }
      if (owner != unmatched && layer_[owner] == layer_[i] + 1 && layer_[owner] < last_layer_) {
        path_.push_back(owner);
      } else {
        ++next_[i];
      }
    }
  }

  const SignatureMatrix& s_;
  Matching m_;
  std::vector<std::uint32_t> layer_;  // per equation
  std::uint32_t last_layer_ = unreached;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> next_;  // per equation: the entry to try next in this pass
  std::vector<std::uint32_t> path_;
};

}  // namespace

Matching maximum_matching(const SignatureMatrix& signature) {
  detail::check_signature(signature);
  return HopcroftKarp(signature).run();
}

}  // namespace saltus
