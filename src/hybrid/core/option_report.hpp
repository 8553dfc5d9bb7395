// Options of a run as its report shows them.
#pragma once

#include <vector>

#include <saltus/hybrid/options.hpp>

namespace saltus::detail {

/// Checks them (OptionError) and puts them beside their defaults. The same as validate_options and compare_options, but
/// the list of options is made once per thread: a short run would spend a fifth of its time on it.
std::vector<OptionPair> checked_options(const RunOptions& options);

}  // namespace saltus::detail
