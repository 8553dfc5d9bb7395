#include <saltus/structure/sigma_method.hpp>

#include <algorithm>
#include <utility>

#include "structure/assignment.hpp"
#include "structure/signature.hpp"

namespace saltus {

namespace {

std::vector<std::uint32_t> blocks_of_unknowns(const SignatureMatrix& s,
                                              const BlockTriangularForm& form) {
  std::vector<std::uint32_t> block_of(s.n_unknowns, 0);
  for (std::uint32_t b = 0; b < form.blocks.size(); ++b)
    for (const std::uint32_t j : form.blocks[b].unknowns) block_of[j] = b;
  return block_of;
}

/// Without the entries that connect blocks: no perfect matching contains them.
SignatureMatrix diagonal_blocks(const SignatureMatrix& s, const Matching& m,
                                std::span<const std::uint32_t> block_of) {
  SignatureMatrix diagonal;
  diagonal.n_unknowns = s.n_unknowns;
  for (std::uint32_t i = 0; i < s.n_equations(); ++i) {
    const std::uint32_t own = block_of[m.unknown_of[i]];
    for (const SignatureMatrix::Entry& e : s.row(i))
      if (block_of[e.unknown] == own) diagonal.entries.push_back(e);
    diagonal.end_row();
  }
  return diagonal;
}

/// The smallest offsets c >= 0 with c_k >= c_i + order_ij - order_kj for every entry (i, j), where
/// equation k is matched with unknown j.
///
/// Demands run from an equation to those that determine what it reads, that is to its own block and
/// to earlier ones: blocks are done from the last to the first. Inside a block the potentials p of
/// the transversal satisfy the inequalities. What they exceed the smallest offsets by, e = p - c, is
/// a distance: e_k = min(p_k - demand_k, e_i + slack_ij), with slack_ij = p_k + order_kj - p_i -
/// order_ij >= 0. (It begins below zero where later blocks demand more than p.)
class SmallestOffsets {
 public:
  SmallestOffsets(const SignatureMatrix& s, const SignatureMatrix& diagonal,
                  const detail::Transversal& t)
      : s_(s), diagonal_(diagonal), t_(t), demand_(s.n_equations(), 0), excess_(s.n_equations()) {
    own_order_.resize(s.n_unknowns);
    for (std::uint32_t i = 0; i < s.n_equations(); ++i)
      for (const SignatureMatrix::Entry& e : diagonal.row(i))
        if (t.unknown_of[i] == e.unknown) own_order_[e.unknown] = e.order;
    offsets_.equation.resize(s.n_equations());
    offsets_.unknown.resize(s.n_unknowns);
  }

  SigmaOffsets run(const BlockTriangularForm& form) {
    for (auto block = form.blocks.rbegin(); block != form.blocks.rend(); ++block) {
      solve(block->equations);
      for (const std::uint32_t i : block->equations) demand_of(i);
    }
    return std::move(offsets_);
  }

 private:
  struct Reached {
    std::int64_t excess;
    std::uint32_t equation;
    friend bool operator<(const Reached& a, const Reached& b) {
      return a.excess != b.excess ? a.excess > b.excess : a.equation > b.equation;
    }
  };

  std::int64_t potential(std::uint32_t i) const { return t_.equation_potential[i]; }

  void solve(std::span<const std::uint32_t> equations) {
    heap_.clear();
    for (const std::uint32_t i : equations) {
      excess_[i] = potential(i) - demand_[i];
      heap_.push_back({excess_[i], i});
    }
    std::make_heap(heap_.begin(), heap_.end());
    while (!heap_.empty()) {
      const Reached nearest = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
      if (nearest.excess == excess_[nearest.equation]) lower_neighbours(nearest);
    }
    for (const std::uint32_t i : equations) {
      const std::int64_t c = potential(i) - excess_[i];
      SALTUS_ASSERT(c >= 0 && c <= max_offset);
      const std::uint32_t j = t_.unknown_of[i];
      offsets_.equation[i] = static_cast<std::uint32_t>(c);
      offsets_.unknown[j] = offsets_.equation[i] + own_order_[j];
    }
  }

  void lower_neighbours(const Reached& from) {
    for (const SignatureMatrix::Entry& e : diagonal_.row(from.equation)) {
      ++offsets_.entries_read;
      const std::uint32_t k = t_.equation_of[e.unknown];
      const std::int64_t slack =
          std::int64_t{t_.unknown_potential[e.unknown]} - potential(from.equation) - e.order;
      const std::int64_t candidate = from.excess + slack;
      if (candidate >= excess_[k]) continue;
      excess_[k] = candidate;
      heap_.push_back({candidate, k});
      std::push_heap(heap_.begin(), heap_.end());
    }
  }

  /// What equation i, now with its offset, asks of the equations it depends on.
  void demand_of(std::uint32_t i) {
    for (const SignatureMatrix::Entry& e : s_.row(i)) {
      ++offsets_.entries_read;
      std::int64_t& demand = demand_[t_.equation_of[e.unknown]];
      demand =
          std::max(demand, std::int64_t{offsets_.equation[i]} + e.order - own_order_[e.unknown]);
    }
  }

  static constexpr std::int64_t max_offset = std::int64_t{1} << 31;

  const SignatureMatrix& s_;
  const SignatureMatrix& diagonal_;
  const detail::Transversal& t_;
  std::vector<std::uint32_t>
      own_order_;                     // per unknown: its order in the equation it is matched with
  std::vector<std::int64_t> demand_;  // per equation: the least offset that later blocks need
  std::vector<std::int64_t> excess_;
  std::vector<Reached> heap_;
  SigmaOffsets offsets_;
};

}  // namespace

std::optional<SigmaOffsets> sigma_method(const SignatureMatrix& signature) {
  const Matching matching = maximum_matching(signature);
  if (!matching.is_perfect()) return std::nullopt;
  const BlockTriangularForm form = block_triangular_form(signature, matching);
  const std::vector<std::uint32_t> block_of = blocks_of_unknowns(signature, form);
  const SignatureMatrix diagonal = diagonal_blocks(signature, matching, block_of);
  const detail::Transversal transversal = detail::highest_value_transversal(diagonal, form);

  SigmaOffsets offsets = SmallestOffsets(signature, diagonal, transversal).run(form);
  offsets.matched = transversal.equation_of;
  // The passes outside the loops look at every entry once each: the blocks, then their entries.
  offsets.entries_read +=
      matching.entries_read + transversal.entries_read + 2 * signature.entries.size();

  // The value of the transversal; sum d - sum c would be a difference of sums that may be large.
  for (std::uint32_t j = 0; j < signature.n_unknowns; ++j)
    offsets.degrees_of_freedom += offsets.unknown[j] - offsets.equation[offsets.matched[j]];
  for (const std::uint32_t c : offsets.equation) offsets.index = std::max(offsets.index, c);
  if (std::ranges::find(offsets.unknown, 0U) != offsets.unknown.end()) ++offsets.index;
  return offsets;
}

}  // namespace saltus
