// Finds which equations can determine which unknowns: matchings, the parts of Dulmage and
// Mendelsohn, blocks. The algorithms do not recurse: a chain of 100,000 equations is no deeper than
// one of three.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/structure/sigma_method.hpp>

namespace saltus {

inline constexpr std::uint32_t unmatched = ~std::uint32_t{0};

struct Matching {
  std::vector<std::uint32_t> unknown_of;   // per equation, or unmatched
  std::vector<std::uint32_t> equation_of;  // per unknown, or unmatched
  std::uint32_t size = 0;
  std::uint64_t entries_read = 0;  // the cost

  bool is_perfect() const { return size == unknown_of.size() && size == equation_of.size(); }
};
/// Returns a matching of greatest size (Hopcroft and Karp, SIAM J. Comput. 2 (1973) 225-231).
Matching maximum_matching(const SignatureMatrix& signature);

/// Equations and unknowns of three parts, ascending: more equations than unknowns, as many, fewer.
/// The parts do not depend on the matching of greatest size from which they are made. Equations of
/// the overdetermined part contain its unknowns only; those of the well-determined part contain no
/// unknown of the underdetermined one.
struct DulmageMendelsohn {
  struct Part {
    std::vector<std::uint32_t> equations;
    std::vector<std::uint32_t> unknowns;
  };
  Part overdetermined;
  Part well_determined;
  Part underdetermined;
};
/// Computes the parts. `matching` is one of greatest size.
DulmageMendelsohn dulmage_mendelsohn(const SignatureMatrix& signature, const Matching& matching);

/// The well-determined part as blocks that can be solved one after the other (Tarjan), in that
/// order. Equations of a block contain unknowns of the block, of earlier blocks and of the
/// overdetermined part. The blocks do not depend on the matching.
struct BlockTriangularForm {
  struct Block {
    std::vector<std::uint32_t> equations;  // ascending
    std::vector<std::uint32_t> unknowns;   // unknowns[k] is matched with equations[k]
  };
  std::vector<Block> blocks;
};
/// Computes the blocks. `matching` is one of greatest size.
BlockTriangularForm block_triangular_form(const SignatureMatrix& signature,
                                          const Matching& matching);

}  // namespace saltus
