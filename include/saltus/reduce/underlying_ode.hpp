// A system of higher index as x' = f(t, x) with invariants, for explicit engines.
//
// Of a DifferentiatedSystem the unknowns that have derivatives are integrated, all of them. Their highest
// derivatives and the multipliers follow at every stage from the equations in their highest derivative,
// and the other derivatives of the equations are constraints that exact solutions keep: a step is
// projected onto them (StepProjection), with the smallest change in nominal units.
#pragma once

#include <memory>

#include <saltus/core/result.hpp>
#include <saltus/system/differentiated.hpp>

namespace saltus {

/// `consistent` holds values of all unknowns of the differentiated system that meet its equations. The
/// system offers ExplicitForm, StepProjection, OutputProjection, and what the original offers of
/// ScheduledTimes and HeldValues. Its Jacobian is a full matrix.
std::shared_ptr<const System> underlying_ode(
    std::shared_ptr<const DifferentiatedSystem> differentiated, const StartValues& consistent);

}  // namespace saltus
