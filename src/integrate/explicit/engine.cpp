#include "integrate/problem.hpp"

namespace saltus::detail {

std::unique_ptr<Engine> make_explicit_engine(EngineKind, Problem) {
  throw OptionError("engine", "explicit engines are not there yet");
}

}  // namespace saltus::detail
