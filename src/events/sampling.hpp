// Functions that cannot be enclosed: a polynomial through samples, and a guess of how good it is.
#pragma once

#include <optional>
#include <vector>

#include "events/side_walk.hpp"
#include "events/watched_function.hpp"

namespace saltus::detail {

/// G is looked at in Chebyshev points of the piece, ends included (D.5); at two more points the polynomial
/// through them is compared with G, and ten times the larger difference is taken for its error.
class SampledModels {
 public:
  explicit SampledModels(int samples_per_step);

  enum class Kind {
    model,    // the piece has a polynomial
    poor,     // no polynomial fits: only the samples tell
    outside,  // G is undefined somewhere: the rest of the step is unknown
  };
  struct Outcome {
    Kind kind = Kind::model;
    std::optional<SideCrossing> seen;  // between two samples, if one of them is on the wrong side
  };
  Outcome look(WatchedFunction& function, Piece& piece);

 private:
  /// Of one number of samples; the same for everybody.
  struct Table {
    std::vector<double> nodes;      // in [0, 1], ascending
    std::vector<double> transform;  // Bernstein coefficients from samples, by rows
  };
  static Table make_table(std::size_t size);
  static const Table& table_of(int samples_per_step);
  std::size_t n() const { return nodes_.size(); }
  std::optional<SideCrossing> first_wrong(const WatchedFunction& function, const Piece& piece,
                                          std::size_t n_defined) const;

  const std::vector<double>& nodes_;
  const std::vector<double>& transform_;
  std::vector<double> values_;
};

}  // namespace saltus::detail
