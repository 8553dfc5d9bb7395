// What is said of the start of a run, and names in options that nothing has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <saltus/initialize/restart.hpp>

#include "hybrid/books/ledger.hpp"

namespace saltus::detail {

/// Start values that were not kept.
void report_start(Ledger& ledger, const ModeRun& here, const RunOptions& options, bool is_only_mode,
                  const std::optional<Restart>& jump, const StartValues& stated);
/// A state without a start value begins at its guess or at zero: that is said, not assumed.
void report_missing_starts(Ledger& ledger, const ModeRun& here, const StartValues& start);
/// An action that waits for its condition to become true may wait in vain: that is said. `holds`: triggers, word for word.
void report_triggers_at_start(Ledger& ledger, const SwitchBoard& board, double t,
                              std::span<const std::uint8_t> holds);
/// Names that nothing has would be ignored when they are needed: refuses them (OptionError).
void check_names(const RunOptions& options, const SwitchBoard& board, bool is_only_mode);

}  // namespace saltus::detail
