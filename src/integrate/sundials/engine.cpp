#include "integrate/problem.hpp"

namespace saltus::detail {

std::unique_ptr<Engine> make_ida_engine(Problem) {
  throw OptionError("engine", "ida is not there yet");
}

}  // namespace saltus::detail
