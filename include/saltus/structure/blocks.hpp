// Which equations can determine which unknowns: matchings, the parts of Dulmage and Mendelsohn, blocks.
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
};
/// Of greatest size (Hopcroft and Karp).
Matching maximum_matching(const SignatureMatrix& signature);

/// Equations and unknowns of three parts: more equations than unknowns, as many, fewer.
struct DulmageMendelsohn {
  struct Part {
    std::vector<std::uint32_t> equations;
    std::vector<std::uint32_t> unknowns;
  };
  Part overdetermined;
  Part well_determined;
  Part underdetermined;
};
DulmageMendelsohn dulmage_mendelsohn(const SignatureMatrix& signature, const Matching& matching);

/// The well-determined part as blocks that can be solved one after the other (Tarjan), in that order.
struct BlockTriangularForm {
  struct Block {
    std::vector<std::uint32_t> equations;
    std::vector<std::uint32_t> unknowns;
  };
  std::vector<Block> blocks;
};
BlockTriangularForm block_triangular_form(const SignatureMatrix& signature,
                                          const Matching& matching);

}  // namespace saltus
