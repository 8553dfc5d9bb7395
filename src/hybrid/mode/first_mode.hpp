// The mode a run begins in, where it is one of several candidates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <saltus/hybrid/options.hpp>
#include <saltus/initialize/restart.hpp>
#include <saltus/system/configuration.hpp>

namespace saltus::detail {

struct FirstMode {
  std::uint32_t mode = 0;
  std::string reason;                 // empty if there was nothing to choose
  std::vector<std::string> warnings;  // others are possible as well
  /// Stated values that it does not allow jump as if it had been entered with them: where to, in unknowns as they were
  /// written, and by which impulses.
  std::optional<Restart> jump;
};

/// A candidate is possible if it has a consistent start at which it requires nothing that does not hold. One
/// that keeps the start values stated for unknowns with a derivative comes before one that cannot, and takes impulses
/// to change them.
Result<FirstMode> find_first_mode(ConfigurationSource& source, const RunOptions& options);

}  // namespace saltus::detail
