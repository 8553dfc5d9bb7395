// Shared by what names clauses and equations.
#pragma once

#include <string>
#include <string_view>

namespace saltus::modelica {

/// A stretch of the text on one line, of bearable length.
std::string text_on_one_line(std::string_view text);

}  // namespace saltus::modelica
