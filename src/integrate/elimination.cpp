#include "integrate/elimination.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace saltus::detail {

double elimination_cost(const CscPattern& pattern, double limit) {
  const auto n = static_cast<std::size_t>(pattern.n_cols);
  // A clique of k unknowns alone costs k³/3; this also keeps a full matrix from being copied.
  if (static_cast<double>(pattern.nnz()) > limit) return static_cast<double>(pattern.nnz());

  std::vector<std::set<std::size_t>> neighbours(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto end = static_cast<std::size_t>(pattern.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(pattern.column_start[j]); s < end; ++s) {
      const auto i = static_cast<std::size_t>(pattern.row[s]);
      if (i == j) continue;
      neighbours[i].insert(j);
      neighbours[j].insert(i);
    }
  }
  std::set<std::pair<std::size_t, std::size_t>> queue;  // by degree, then by index
  for (std::size_t i = 0; i < n; ++i) queue.emplace(neighbours[i].size(), i);

  double cost = 0.0;
  while (!queue.empty() && cost <= limit) {
    const auto [degree, pivot] = *queue.begin();
    queue.erase(queue.begin());
    cost += static_cast<double>(degree) * static_cast<double>(degree);
    // The neighbours of an eliminated unknown become neighbours of each other.
    const std::set<std::size_t> clique = std::move(neighbours[pivot]);
    for (const std::size_t i : clique) {
      queue.erase({neighbours[i].size(), i});
      neighbours[i].erase(pivot);
      for (const std::size_t j : clique) {
        if (j != i) neighbours[i].insert(j);
      }
      queue.emplace(neighbours[i].size(), i);
    }
  }
  return cost;
}

}  // namespace saltus::detail
