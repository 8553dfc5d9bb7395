#include <saltus/core/result.hpp>

namespace saltus::detail {

void no_value(const Failure& failure) {
  throw InternalError("the value of a failed Result was used; it failed with " +
                      std::string(name(failure.code)) + ": " + failure.message);
}

}  // namespace saltus::detail
