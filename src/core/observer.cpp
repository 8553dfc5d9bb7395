#include <saltus/core/observer.hpp>

namespace saltus {

std::string_view name(Severity severity) noexcept {
  switch (severity) {
    case Severity::debug:
      return "debug";
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
  }
  return "unknown";
}

Observer& null_observer() noexcept {
  static NullObserver observer;
  return observer;
}

}  // namespace saltus
