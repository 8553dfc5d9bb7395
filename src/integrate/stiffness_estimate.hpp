// Whether stability would limit the steps of an explicit engine, estimated before the first step.
#pragma once

#include <optional>

#include <saltus/integrate/engine.hpp>

namespace saltus::detail {

struct StiffnessEstimate {
  double accurate_step = 0.0;  // what accuracy alone would allow
  double radius = 0.0;         // of the spectrum of df/dx, the larger of two places
  bool decays = false;         // the dominant eigenvalue is real and negative, about
};

/// About 36 evaluations of the explicit form. Nothing if the system cannot be evaluated at the point.
std::optional<StiffnessEstimate> estimate_stiffness(const System& system, Workspace& workspace,
                                                    const EnginePoint& point, double t_end,
                                                    const EngineOptions& options);

}  // namespace saltus::detail
