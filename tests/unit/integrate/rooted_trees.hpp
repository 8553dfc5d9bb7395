// Rooted trees and the elementary weights of Runge-Kutta methods (HNW II.2).
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace saltus::test {

/// Children are indices of trees before this one, ascending: a multiset.
struct RootedTree {
  std::vector<std::size_t> children;
  int order = 1;
  double density = 1.0;  // gamma
};

/// All trees with up to max_order nodes, by order: 1, 1, 2, 4, 9, 20, 48, 115, … of them.
inline std::vector<RootedTree> rooted_trees(int max_order) {
  std::vector<RootedTree> trees(1);
  for (int order = 2; order <= max_order; ++order) {
    const std::size_t known = trees.size();
    // Multisets of known trees with order - 1 nodes together.
    std::vector<std::size_t> children;
    const auto extend = [&](auto&& self, std::size_t first, int nodes_left) -> void {
      if (nodes_left == 0) {
        RootedTree tree{children, order, static_cast<double>(order)};
        for (const std::size_t child : children) tree.density *= trees[child].density;
        trees.push_back(tree);
        return;
      }
      for (std::size_t child = first; child < known; ++child) {
        if (trees[child].order > nodes_left) break;
        children.push_back(child);
        self(self, child, nodes_left - trees[child].order);
        children.pop_back();
      }
    };
    extend(extend, 0, order - 1);
  }
  return trees;
}

/// g[tree][stage]: product over children of sum_j a_ij g_j; with |a_ij| if `absolute`.
inline std::vector<std::vector<double>> stage_weights(const std::vector<RootedTree>& trees,
                                                      const std::vector<std::vector<double>>& a,
                                                      bool absolute) {
  std::vector<std::vector<double>> g(trees.size(), std::vector<double>(a.size(), 1.0));
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    for (const std::size_t child : trees[tree].children) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < a[i].size(); ++j) {
          sum += (absolute ? std::abs(a[i][j]) : a[i][j]) * g[child][j];
        }
        g[tree][i] *= sum;
      }
    }
  }
  return g;
}

/// The highest order up to which sum_i b_i g_i = s^order / density holds for all trees, to `ulps`
/// roundings of the sum of absolute values. `trees` are ordered by size.
inline int order_met(const std::vector<RootedTree>& trees,
                     const std::vector<std::vector<double>>& a, const std::vector<double>& b,
                     double s = 1.0, double ulps = 32.0) {
  const auto g = stage_weights(trees, a, false);
  const auto size = stage_weights(trees, a, true);
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    double sum = 0.0;
    double scale = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      sum += b[i] * g[tree][i];
      scale += std::abs(b[i]) * size[tree][i];
    }
    const double wanted = std::pow(s, trees[tree].order) / trees[tree].density;
    if (std::abs(sum - wanted) > ulps * 0x1p-53 * (scale + wanted)) return trees[tree].order - 1;
  }
  return trees.back().order;
}

}  // namespace saltus::test
