// Functions that are beside their surface by less than their error where a motion begins: they are not to cross at once.
#pragma once

#include <cstdint>
#include <span>

#include "hybrid/books/ledger.hpp"
#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

/// Relations whose function is still, or already, on the other side of their surface by less than its error.
void excuse_what_lags(const Stay& here);
/// What left its surface along a tangent: for a while the error of a step is larger than the distance.
void excuse_what_left(const Stay& here, std::span<const std::uint32_t> left);
/// What touched its surface: the next step may cross by its error again, from the same point.
void excuse_what_touched(const Stay& here, std::span<const std::uint32_t> touched);
/// Of functions that begin on their surface at the start of a motion: one that is accelerated away from it, and gets beyond its
/// error in a step or so, leaves along a tangent. One that first dips to the other side, by v^2 / (2 a), does not: its surface
/// and its rate are those of this point, so that a dip that is more than their noise is known better than the solution is.
void excuse_what_begins_to_leave(const Stay& here, Ledger& ledger, double t);
/// Where relations are that have crossed, once the solution goes on.
void look_where_crossed(const Stay& here, std::span<const std::uint32_t> crossed,
                        std::span<const double> margins);

}  // namespace saltus::detail
