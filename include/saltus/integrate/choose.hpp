// Chooses an engine for a system.
#pragma once

#include <string>

#include <saltus/integrate/engine.hpp>

namespace saltus {

struct EngineChoice {
  EngineKind kind = EngineKind::ida;
  std::string reason;  // one sentence for the report
};

/// Chooses by the abilities of the system, its size and an estimate of its stiffness at its entry
/// point (docs/design/0005 has the thresholds and the measurements).
EngineChoice choose_engine(const System& system, Workspace& workspace, const EnginePoint& point,
                           double t_end, const EngineOptions& options);

/// Chooses the better of radau and ida, for a system that an explicit engine found stiff.
EngineChoice choose_stiff_engine(const System& system, const EngineOptions& options);

}  // namespace saltus
