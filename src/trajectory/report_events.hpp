// What a report says of events.
#pragma once

#include <string>

#include <saltus/trajectory/report.hpp>

namespace saltus::detail {

/// Nothing if nothing switches.
void append_events(const RunReport& report, std::string& out);

}  // namespace saltus::detail
