// Options that are given for a relation by its name.
#pragma once

#include <string>

#include <saltus/hybrid/event_options.hpp>

namespace saltus::detail {

SurfacePolicy surface_policy_of(const EventOptions& options, const std::string& relation);

}  // namespace saltus::detail
