// Which equation values that are not consistent violate, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <saltus/initialize/restart.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// "equation 'length' is left at 0.17": F_0 … F_mu with the values `x` of the unknowns that are marked,
/// everything else as in `consistent`.
std::string violated_equation(const System& system, Workspace& workspace, double t,
                              const std::vector<double>& x, const std::vector<std::uint8_t>& marked,
                              const Restart& consistent);

}  // namespace saltus::detail
