// The consistent path that keeps the differential content of a wish.
//
// W of the answer decides what is kept: the map from the path where W is taken to the consistent path that keeps
// W (x - wish) is iterated to its fixed point. Then unknowns that constraints are about stay as they are found, and the
// others begin from the wish again, order by order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>

#include "numerics/eigen.hpp"
#include "reduce/start/consistent_path.hpp"
#include "reduce/array/level_ranks.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus::detail {

struct ContentOf {
  const System& system;
  ScaledArray<double>& array;
  const ArrayScaling& scaling;
  const LevelRanks& ranks;
  /// The path is on the solution set: where the content is not clear there, the tangential one counts.
  bool is_consistent = false;
};
/// W at a path; none if it cannot be evaluated or is not clear there.
std::optional<Eigen::MatrixXd> content_of(const std::vector<double>& path, const ContentOf& of);

struct KeptPath {
  std::vector<double> path;
  /// The wish, with what had to change first as it is found.
  std::vector<double> target;
  Eigen::MatrixXd kept;  // of the path
  ArrayScaling scaling;  // in which it was found
  /// False: the path is consistent, but no search settled where it keeps its content.
  bool keeps_content = true;
};

class ContentSearch {
 public:
  struct Known {
    double t;
    const IndexAnalysis& analysis;
    const LevelRanks& ranks;
  };
  ContentSearch(const System& system, PathSearch& search, const Known& known,
                const std::vector<double>& wish)
      : system_(system),
        search_(search),
        t_(known.t),
        known_(known.analysis),
        ranks_(known.ranks),
        wish_(wish),
        n_(system.size()) {}

  /// `path` begins with the wish; its higher coefficients are solved for, or not.
  Result<KeptPath> run(const std::vector<double>& path, bool higher_solved);

 private:
  Eigen::VectorXd scaled(const std::vector<double>& path) const;
  void store(const Eigen::VectorXd& xi);
  PathWish wish(const Eigen::MatrixXd& kept) const;
  std::vector<int> orders_here();
  /// The wish may be too far away to tell what the content is. Any consistent point keeps its own; from there the
  /// target moves to the wish, and the answer with it.
  Result<void> follow_target();
  /// Unknowns that constraints are about stay as they are found, and their derivatives begin from the wish again: a
  /// position that has to be corrected is no reason for another velocity.
  Result<void> correct_by_orders();
  bool moves(std::uint32_t i) const;
  Result<void> keep_content();
  /// The consistent path that keeps the content of the present one.
  Result<void> keep_content_of_path(bool is_consistent);
  void restore_kept();
  bool is_kept(const Eigen::MatrixXd& content) const;
  Failure content_lost();

  const System& system_;
  PathSearch& search_;
  double t_;
  const IndexAnalysis& known_;
  const LevelRanks& ranks_;
  const std::vector<double>& wish_;
  std::uint32_t n_;
  ArrayScaling scaling_;
  std::vector<double> path_, target_;
  Eigen::MatrixXd kept_;
  bool higher_solved_ = false;           // of path_
  std::vector<double> without_content_;  // the first consistent path that does not keep it
};

}  // namespace saltus::detail
