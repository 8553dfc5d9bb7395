// How large a text may become: a few words can ask for billions of elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "modelica/source.hpp"

namespace saltus::modelica {

/// Of dimensions; the largest number there is where the product is larger still.
inline std::uint64_t number_of_elements(std::span<const std::uint32_t> dimensions) {
  std::uint64_t n = 1;
  for (const std::uint32_t k : dimensions) {
    if (k != 0 && n > std::numeric_limits<std::uint64_t>::max() / k)
      return std::find(dimensions.begin(), dimensions.end(), 0U) == dimensions.end()
                 ? std::numeric_limits<std::uint64_t>::max()
                 : 0;
    n *= k;
  }
  return n;
}

class Budget {
 public:
  explicit Budget(std::uint64_t elements)
      : most_(elements),
        most_work_(elements > std::numeric_limits<std::uint64_t>::max() / work_per_element
                       ? std::numeric_limits<std::uint64_t>::max()
                       : elements * work_per_element) {}

  /// What stays: variables and equations.
  void keep(std::uint64_t n, Span where) {
    if (n > most_ - kept_)
      refuse(where, "with this the model has more than " + std::to_string(most_) +
                        " variables and equations, which is the limit: make arrays and loops "
                        "shorter");
    kept_ += n;
  }
  /// What is looked at on the way: elements of expressions, statements that are carried out.
  void work(std::uint64_t n, Span where) {
    if (n > most_work_ - worked_)
      refuse(where, "this makes the text too long: more than " + std::to_string(most_work_) +
                        " elements and statements would be written out, which is the limit; make "
                        "arrays and loops shorter");
    worked_ += n;
  }

  /// Values in memory at once: each is larger than what a single operation leaves behind.
  void values(std::uint64_t n, Span where) {
    constexpr std::uint64_t weight = 10;
    work(n > std::numeric_limits<std::uint64_t>::max() / weight
             ? std::numeric_limits<std::uint64_t>::max()
             : weight * n,
         where);
  }

 private:
  // Operations of a usual equation. Each may become a node of some hundred bytes: a million elements, two gigabytes.
  static constexpr std::uint64_t work_per_element = 20;
  std::uint64_t most_, most_work_;
  std::uint64_t kept_ = 0, worked_ = 0;
};

}  // namespace saltus::modelica
