// What a report says of modes.
#pragma once

#include <string>

#include <saltus/trajectory/report.hpp>

namespace saltus::detail {

/// Nothing if there is one mode.
void append_modes(const RunReport& report, std::string& out);

}  // namespace saltus::detail
