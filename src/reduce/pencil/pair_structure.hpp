// Pairs of matrices that are their own transposes, up to signs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <saltus/reduce/pencil.hpp>

namespace saltus::detail {

struct RecognisedPair {
  PairStructure structure = PairStructure::general;
  std::vector<std::uint8_t> negated;  // one flag per equation
};
/// Entries are equal if they differ by rounding: |m_ij - m_ji| <= 64 eps max(|m_ij|, |m_ji|).
RecognisedPair recognise_pair(const Matrix& e, const Matrix& a);

}  // namespace saltus::detail
