#include <saltus/integrate/engine.hpp>

#include "integrate/problem.hpp"
#include "integrate/refusal.hpp"

namespace saltus {

std::string_view name(EngineKind kind) noexcept {
  for (const auto& choice : option_choices(EngineKind{})) {
    if (choice.value == kind) return choice.name;
  }
  return "unknown";
}

std::unique_ptr<Engine> make_engine(EngineKind kind, const System& system, Workspace& workspace,
                                    const EngineOptions& options) {
  detail::Problem problem(system, workspace, options);
  if (traits_of(kind).is_explicit && !problem.has_explicit_form())
    detail::refuse_implicit_system(kind, problem);
  switch (kind) {
    case EngineKind::automatic:
      throw OptionError("engine", "automatic must be resolved by choose_engine first");
    case EngineKind::ida:
      return detail::make_ida_engine(std::move(problem));
    case EngineKind::radau:
      return detail::make_radau_engine(std::move(problem));
    case EngineKind::dopri5:
    case EngineKind::dop853:
      return detail::make_explicit_engine(kind, std::move(problem));
  }
  throw OptionError("engine", "is not a known engine");
}

}  // namespace saltus
