// Words and tables of reports.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace saltus::report_text {

/// "1 equation", "2 equations"; "degree of freedom" knows its plural.
std::string counted(std::size_t n, const std::string& one);
/// Equations without a name are called by their text, which may be long: cut, with "...".
std::string short_name(const std::string& name, std::size_t most = 60);
/// 'a', 'b' and 7 more; long names cut.
std::string few_names(const std::vector<std::string>& names, std::span<const std::uint32_t> which,
                      std::size_t most = 8);
/// A few significant digits: "3.13209", "1.2e-07".
std::string short_number(double value, int digits = 6);
/// Columns of texts, aligned, two blanks apart, no blanks at ends of lines.
std::string padded(const std::vector<std::vector<std::string>>& rows, std::size_t indent);

/// Lines of at most 100 letters where words allow it; all but the first are indented deeper by two.
std::string wrapped(const std::string& text, std::size_t indent);

}  // namespace saltus::report_text
