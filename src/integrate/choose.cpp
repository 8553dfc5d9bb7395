#include <saltus/integrate/choose.hpp>

#include <saltus/system/abilities.hpp>

namespace saltus {

EngineChoice choose_engine(const System&, Workspace& workspace, const EnginePoint&, double,
                           const EngineOptions&) {
  if (workspace.ability<ExplicitForm>() != nullptr) return {EngineKind::dopri5, "an ODE"};
  return {EngineKind::ida, "a DAE"};
}

}  // namespace saltus
