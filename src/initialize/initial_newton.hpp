// Initial equations of large systems of index 1.
//
// x and x' follow from the values s of the unknowns with a derivative, by (I.1), and so do the initial equations:
// r(s) = 0 is solved by Newton's method. dr/ds takes one sparse solution per unknown that is not stated; as many of
// these move as there are equations, those that a QR decomposition with column pivoting chooses, the others keep their guesses.
#pragma once

#include <optional>
#include <vector>

#include <saltus/initialize/initial_start.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// `open` marks the equations to be solved. Nothing if the system does not have index 1, or if that does not lead to a
/// start.
std::optional<InitialStart> initial_start_by_states(const System& system, Workspace& workspace,
                                                    double t, const StartValues& stated,
                                                    InitialEquations& equations,
                                                    const std::vector<std::uint8_t>& open,
                                                    const InitialStartOptions& options);

}  // namespace saltus::detail
