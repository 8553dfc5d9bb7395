// Whether modes and transitions fit each other.
#pragma once

#include <saltus/model/definition.hpp>

namespace saltus::detail {

/// Refuses by name what reads or sets an unknown that the mode concerned does not have, and unknowns that
/// no mode has.
void check_modes(const ModelDefinition& model);

}  // namespace saltus::detail
