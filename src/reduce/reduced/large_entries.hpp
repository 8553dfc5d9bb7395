// Names behind the large entries of a vector, for messages.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "numerics/eigen.hpp"

namespace saltus::detail {

/// Largest first, each once, in quotes: of those that reach this share of the largest.
template <class Name>
std::vector<std::string> names_of_large(const Eigen::VectorXd& sizes, double share, Name&& name) {
  constexpr std::size_t most = 4;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(sizes.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return sizes[a] > sizes[b]; });
  std::vector<std::string> names;
  for (const Eigen::Index i : order) {
    if (names.size() == most || sizes[i] < share * sizes[order[0]]) break;
    const std::string text = "'" + name(static_cast<std::uint32_t>(i)) + "'";
    if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(text);
  }
  return names;
}

}  // namespace saltus::detail
