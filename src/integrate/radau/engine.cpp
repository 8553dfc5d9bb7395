#include "integrate/problem.hpp"

namespace saltus::detail {

std::unique_ptr<Engine> make_radau_engine(Problem) {
  throw OptionError("engine", "radau is not there yet");
}

}  // namespace saltus::detail
