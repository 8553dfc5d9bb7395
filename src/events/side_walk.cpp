#include "events/side_walk.hpp"

namespace saltus::detail {

void SideWalk::open(double a, bool is_simple) {
  if (is_open_) {
    is_simple_ = is_simple_ && is_simple;
    return;
  }
  is_open_ = true;
  open_from_ = a;
  is_simple_ = is_simple;
}

void SideWalk::touch() {
  is_marginal_ = true;
  marginal_at_ = open_from_;
}

bool SideWalk::cross(double from, double after) {
  const bool is_simple = !is_open_ || is_simple_;
  crossing_ = {is_open_ ? open_from_ : from, after,
               is_simple ? Guarantee::proven : Guarantee::marginal};
  is_open_ = false;
  return true;
}

bool SideWalk::positive() {
  if (is_open_) touch();  // and returned
  is_open_ = false;
  return false;
}

bool SideWalk::negative(double a) { return cross(a, a); }

bool SideWalk::monotone(double a, double b, int slope, int left, int right) {
  if (left > 0) positive();
  if (left < 0) return negative(a);
  if (right < 0) return cross(a, b);
  // From zero at the begin of the search to its own side, nothing is open: the usual case after an event.
  if (right > 0) return positive();
  open(a, slope < 0);
  return false;
}

bool SideWalk::unresolved(double a) {
  open(a, false);
  return false;
}

void SideWalk::end() {
  // A simple approach that has not arrived is decided by what follows the step.
  if (is_open_ && !is_simple_) touch();
  is_open_ = false;
}

}  // namespace saltus::detail
