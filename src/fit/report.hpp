// Numbers as people read them.
#pragma once

#include <string>

namespace saltus {

/// Two digits.
std::string to_text_of_error(double error);
/// As many digits as the error leaves.
std::string to_text_beside_error(double value, double error);

/// Six digits.
std::string to_text_of_sum(double sum);

}  // namespace saltus
