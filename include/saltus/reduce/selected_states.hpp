// A system of higher index as one of index 1, by structure: sparse matrices stay sparse.
//
// Of a DifferentiatedSystem all equations hold, hidden constraints included, and as many ties
// x_u' = x_v are left out as there are constraints (Mattsson and Soederlind's dummy derivatives). Which
// ones is a choice of states. It does not change the solution, only how well its equations are
// conditioned, so it may change between steps without a restart (StepRefresh): all derivatives are
// unknowns and keep their history.
//
// A tie that is left out becomes the row e_s = 0 of an additional unknown that belongs to the
// constraint s for which it was left out. So rows, columns and pattern stay what they are, whatever
// is chosen.
#pragma once

#include <memory>

#include <saltus/core/result.hpp>
#include <saltus/system/differentiated.hpp>

namespace saltus {

/// Chooses from the Jacobian at t and the given start values, which become those of the system; where
/// there is a choice, values marked as given are kept as states. The failure `singular` names an
/// equation whose constraint depends on others there: structure does not tell the truth. The system
/// offers StepRefresh, ChosenStates, OutputProjection, and what the original offers of ScheduledTimes and
/// HeldValues.
Result<std::shared_ptr<const System>> select_states(
    std::shared_ptr<const DifferentiatedSystem> differentiated, double t, StartValues start);

}  // namespace saltus
