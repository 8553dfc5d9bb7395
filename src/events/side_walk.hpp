// From signs of G on adjacent pieces to the place where it goes to the wrong side.
#pragma once

#include <saltus/system/switching.hpp>

#include "events/piece.hpp"

namespace saltus::detail {

/// G >= 0, or unknown, at `before` and certainly negative at `after`. Both are positions.
struct SideCrossing {
  double before = 0.0;
  double after = 0.0;
  Guarantee guarantee = Guarantee::proven;
};

/// Is told, from left to right, what is certain about G on each piece, and remembers from where on its
/// sign is open. Each call returns true when G has gone to the wrong side: crossing() says where.
class SideWalk {
 public:
  void begin() { *this = SideWalk(); }

  bool positive();
  bool negative(double a);
  /// A piece on which G is monotone: signs at its ends, 0 if not certain.
  bool monotone(double a, double b, int slope, int left, int right);
  /// Nothing is certain and nothing will be.
  bool unresolved(double a);
  /// The end of the search.
  void end();

  const SideCrossing& crossing() const { return crossing_; }
  /// Zero was touched, or nearly so.
  bool is_marginal() const { return is_marginal_; }
  double marginal_at() const { return marginal_at_; }

 private:
  void open(double a, bool is_simple);
  void touch();
  bool cross(double from, double after);

  bool is_open_ = false;
  double open_from_ = 0.0;
  bool is_simple_ = false;  // G falls through the open part: at most one zero
  bool is_marginal_ = false;
  double marginal_at_ = 0.0;
  SideCrossing crossing_;
};

}  // namespace saltus::detail
