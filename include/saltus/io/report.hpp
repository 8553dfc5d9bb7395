// A result as one HTML page that opens from disk: plots that can be zoomed, events with their reasons,
// statistics, the analysis of the model. It loads nothing from anywhere.
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include <saltus/io/result_file.hpp>

namespace saltus {

struct ReportOptions {
  /// Variables drawn at first; empty: up to 12 that vary. All others can be chosen in the page.
  std::vector<std::string> show = {};
  /// Of the phase plane, across and up; empty: the first two that vary.
  std::array<std::string, 2> plane = {};
  /// Columns beyond this are left out, and the page says so.
  std::size_t most_bytes = std::size_t{200} << 20;
};

/// False if the stream failed.
bool write_report(const ResultFile& result, std::ostream& out, const ReportOptions& options = {});
std::string report_html(const ResultFile& result, const ReportOptions& options = {});
/// Whole or not there, as save_result. Throws FileError.
void save_report(const ResultFile& result, const std::string& path,
                 const ReportOptions& options = {});

}  // namespace saltus
