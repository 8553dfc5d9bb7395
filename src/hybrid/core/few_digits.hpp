// Figures that are known to a few digits only, as text.
#pragma once

#include <cstdio>
#include <string>

namespace saltus::detail {

inline std::string few_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace saltus::detail
