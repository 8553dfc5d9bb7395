// Which engine fits a system.
#pragma once

#include <string>

#include <saltus/integrate/engine.hpp>

namespace saltus {

struct EngineChoice {
  EngineKind kind = EngineKind::ida;
  std::string reason;  // one sentence for the report
};

/// By the abilities of the system, its size and an estimate of its stiffness at a point where it is
/// entered (docs/design/0005 has the thresholds and what they were measured on).
EngineChoice choose_engine(const System& system, Workspace& workspace, const EnginePoint& point,
                           double t_end, const EngineOptions& options);

/// For a system that an explicit engine found stiff on its way: the better of radau and ida.
EngineChoice choose_stiff_engine(const System& system, const EngineOptions& options);

}  // namespace saltus
