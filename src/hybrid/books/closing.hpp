// What is said of a run when it has ended.
#pragma once

#include "hybrid/books/ledger.hpp"
#include "hybrid/output/output_writer.hpp"

namespace saltus::detail {

/// Unknowns that never rose above their absolute tolerance were not controlled at all.
void warn_of_uncontrolled(Ledger& ledger, const ModeRun& here);
/// What the writer of rows and steps has moved or missed. None: nothing was written.
void report_writing(Ledger& ledger, const OutputWriter* writer);
/// Everything else that is known at the end only: `here` is where the run has ended.
void report_end(Ledger& ledger, const ModeSet& modes, const ModeRun& here,
                const ConfigurationSource& source, const RunOptions& options);
/// Names of what could have happened, whether it did or not.
std::vector<std::string> names_of_events(const ModeSet& modes, const ConfigurationSource& source);

}  // namespace saltus::detail
