#include <saltus/system/monitoring.hpp>

#include <saltus/core/text.hpp>

namespace saltus {

std::string undetermined_text(std::span<const std::string> equations,
                              std::span<const std::string> unknowns) {
  const bool one = equations.size() == 1;
  return (one ? "equation " : "equations ") + listed(equations) + (one ? " does" : " do") +
         " not determine " + listed(unknowns);
}

}  // namespace saltus
