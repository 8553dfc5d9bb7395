#include <saltus/contact/solve.hpp>

#include <saltus/core/error.hpp>

namespace saltus {

std::string_view name(ContactStatus status) noexcept {
  switch (status) {
    case ContactStatus::open:
      return "open";
    case ContactStatus::closed:
      return "closed";
    case ContactStatus::stick:
      return "sticks";
    case ContactStatus::slip_positive:
      return "slips forwards";
    case ContactStatus::slip_negative:
      return "slips backwards";
  }
  return "unknown";
}

}  // namespace saltus
