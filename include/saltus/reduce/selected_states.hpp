// Reduces a system of higher index to one of index 1 by structure; sparse matrices stay sparse.
//
// All equations of a DifferentiatedSystem hold, hidden constraints included, and as many ties
// x_u' = x_v are left out as there are constraints (Mattsson and Soederlind's dummy derivatives).
// This selects the states. The selection does not change the solution, only the conditioning of the
// equations. It may therefore change between steps without a restart (StepRefresh): all derivatives
// are unknowns and keep their history.
//
// A tie that is left out becomes the row e_s = 0 of an additional unknown that belongs to its
// constraint s. Rows, columns and pattern thus stay the same for every selection.
#pragma once

#include <memory>

#include <saltus/core/result.hpp>
#include <saltus/system/differentiated.hpp>

namespace saltus {

/// Selects states from the Jacobian at t and the given start values, which become those of the
/// system. Where there is a choice, values marked as given are kept as states. The failure
/// `singular` names an equation whose constraint depends on others there: the structural result is
/// wrong. The system offers StepRefresh, ChosenStates, OutputProjection, and ScheduledTimes and
/// HeldValues if the original offers them.
Result<std::shared_ptr<const System>> select_states(
    const std::shared_ptr<const DifferentiatedSystem>& differentiated, double t, StartValues start);

}  // namespace saltus
