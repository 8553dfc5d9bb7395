#include <saltus/structure/blocks.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "structure/signature.hpp"

namespace saltus {

namespace {

enum class DeterminedPart : std::uint8_t { well, over, under };

void check_matching(const SignatureMatrix& s, const Matching& m) {
  SALTUS_ASSERT(m.unknown_of.size() == s.n_equations() && m.equation_of.size() == s.n_unknowns);
}

struct PartLabels {
  std::vector<DeterminedPart> equation;
  std::vector<DeterminedPart> unknown;
};

/// From the free equations along entry, match, entry, match …: what is reached is overdetermined.
void label_overdetermined(const SignatureMatrix& s, const Matching& m, PartLabels& labels) {
  std::vector<std::uint32_t> to_visit;
  for (std::uint32_t i = 0; i < s.n_equations(); ++i)
    if (m.unknown_of[i] == unmatched) {
      labels.equation[i] = DeterminedPart::over;
      to_visit.push_back(i);
    }
  while (!to_visit.empty()) {
    const std::uint32_t i = to_visit.back();
    to_visit.pop_back();
    for (const SignatureMatrix::Entry& e : s.row(i)) {
      if (labels.unknown[e.unknown] == DeterminedPart::over) continue;
      labels.unknown[e.unknown] = DeterminedPart::over;
      const std::uint32_t owner = m.equation_of[e.unknown];
      SALTUS_ASSERT(owner != unmatched);  // otherwise the matching could grow
      labels.equation[owner] = DeterminedPart::over;
      to_visit.push_back(owner);
    }
  }
}

/// The same from the free unknowns.
void label_underdetermined(const SignatureMatrix& s, const Matching& m, PartLabels& labels) {
  std::vector<std::uint32_t> to_visit;
  for (std::uint32_t j = 0; j < s.n_unknowns; ++j)
    if (m.equation_of[j] == unmatched) {
      labels.unknown[j] = DeterminedPart::under;
      to_visit.push_back(j);
    }
  if (to_visit.empty()) return;
  const detail::SignatureColumns columns(s);
  while (!to_visit.empty()) {
    const std::uint32_t j = to_visit.back();
    to_visit.pop_back();
    for (const std::uint32_t i : columns.column(j)) {
      if (labels.equation[i] == DeterminedPart::under) continue;
      labels.equation[i] = DeterminedPart::under;
      const std::uint32_t owned = m.unknown_of[i];
      SALTUS_ASSERT(owned != unmatched);
      labels.unknown[owned] = DeterminedPart::under;
      to_visit.push_back(owned);
    }
  }
}

PartLabels label_parts(const SignatureMatrix& s, const Matching& m) {
  check_matching(s, m);
  PartLabels labels{std::vector(s.n_equations(), DeterminedPart::well),
                    std::vector(s.n_unknowns, DeterminedPart::well)};
  label_overdetermined(s, m, labels);
  label_underdetermined(s, m, labels);
  return labels;
}

/// Tarjan's algorithm (SIAM J. Comput. 1 (1972) 146-160) on the graph "equation i reads an unknown
/// that equation k determines". Components are completed after all they lead to: in solving order.
class TarjanBlocks {
 public:
  TarjanBlocks(const SignatureMatrix& s, const Matching& m, const PartLabels& labels)
      : s_(s), m_(m), labels_(labels), number_(s.n_equations(), unvisited), low_(s.n_equations()) {}

  BlockTriangularForm run() {
    for (std::uint32_t i = 0; i < s_.n_equations(); ++i)
      if (labels_.equation[i] == DeterminedPart::well && number_[i] == unvisited) visit_from(i);
    return std::move(form_);
  }

 private:
  static constexpr std::uint32_t unvisited = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t completed = unvisited - 1;  // its block is known

  struct Visit {
    std::uint32_t equation;
    std::uint32_t next;  // the entry to follow next
  };

  void enter(std::uint32_t i) {
    number_[i] = low_[i] = n_visited_++;
    open_.push_back(i);
    visits_.push_back({i, s_.row_start[i]});
  }

  void visit_from(std::uint32_t root) {
    enter(root);
    while (!visits_.empty()) {
      Visit& at = visits_.back();
      const std::uint32_t i = at.equation;
      if (at.next == s_.row_start[i + 1]) {
        leave(i);
        continue;
      }
      const std::uint32_t j = s_.entries[at.next++].unknown;
      if (labels_.unknown[j] != DeterminedPart::well) continue;
      const std::uint32_t k = m_.equation_of[j];
      if (number_[k] == unvisited) {
        enter(k);
      } else if (number_[k] != completed) {
        low_[i] = std::min(low_[i], number_[k]);
      }
    }
  }

  void leave(std::uint32_t i) {
    visits_.pop_back();
    if (!visits_.empty()) {
      const std::uint32_t parent = visits_.back().equation;
      low_[parent] = std::min(low_[parent], low_[i]);
    }
    if (low_[i] != number_[i]) return;
    BlockTriangularForm::Block block;
    const auto first = std::find(open_.rbegin(), open_.rend(), i).base() - 1;
    block.equations.assign(first, open_.end());
    open_.erase(first, open_.end());
    std::sort(block.equations.begin(), block.equations.end());
    for (const std::uint32_t equation : block.equations) {
      number_[equation] = completed;
      block.unknowns.push_back(m_.unknown_of[equation]);
    }
    form_.blocks.push_back(std::move(block));
  }

  const SignatureMatrix& s_;
  const Matching& m_;
  const PartLabels& labels_;
  std::vector<std::uint32_t> number_;  // per equation: when it was entered
  std::vector<std::uint32_t> low_;     // per equation: the earliest open one known to be reachable
  std::vector<std::uint32_t> open_;
  std::vector<Visit> visits_;
  std::uint32_t n_visited_ = 0;
  BlockTriangularForm form_;
};

}  // namespace

DulmageMendelsohn dulmage_mendelsohn(const SignatureMatrix& signature, const Matching& matching) {
  const PartLabels labels = label_parts(signature, matching);
  DulmageMendelsohn parts;
  const auto part_of = [&](DeterminedPart label) -> DulmageMendelsohn::Part& {
    if (label == DeterminedPart::over) return parts.overdetermined;
    return label == DeterminedPart::under ? parts.underdetermined : parts.well_determined;
  };
  for (std::uint32_t i = 0; i < signature.n_equations(); ++i)
    part_of(labels.equation[i]).equations.push_back(i);
  for (std::uint32_t j = 0; j < signature.n_unknowns; ++j)
    part_of(labels.unknown[j]).unknowns.push_back(j);
  return parts;
}

BlockTriangularForm block_triangular_form(const SignatureMatrix& signature,
                                          const Matching& matching) {
  const PartLabels labels = label_parts(signature, matching);
  return TarjanBlocks(signature, matching, labels).run();
}

}  // namespace saltus
