// For refusals: where a variable exists that does not exist at some time.
#pragma once

#include <string>

#include <saltus/trajectory/trajectory.hpp>

namespace saltus::detail {

/// "; it exists until t = 0.3 in mode 'a' and again from t = 0.7 in mode 'b'".
std::string where_else(const Trajectory& trajectory, std::uint32_t variable, double t);

}  // namespace saltus::detail
