// Turns a system of higher index into x' = f(t, x) with invariants, for explicit engines.
//
// It integrates all unknowns of a DifferentiatedSystem that have derivatives. At every stage, the
// equations in their highest derivative determine the highest derivatives of the unknowns and the
// multipliers. The other derivatives of the equations are constraints that exact solutions satisfy:
// each step is projected onto them (StepProjection), with the smallest change in nominal units.
#pragma once

#include <memory>

#include <saltus/core/result.hpp>
#include <saltus/system/differentiated.hpp>

namespace saltus {

/// Returns the system. `consistent` holds values of all unknowns of the differentiated system that
/// satisfy its equations. The system offers ExplicitForm, StepProjection, OutputProjection, and
/// ScheduledTimes and HeldValues if the original offers them. Its Jacobian is a full matrix.
std::shared_ptr<const System> underlying_ode(
    std::shared_ptr<const DifferentiatedSystem> differentiated, const StartValues& consistent);

}  // namespace saltus
