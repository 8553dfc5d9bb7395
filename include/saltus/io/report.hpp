// Writes a result as one HTML page that opens from disk: zoomable plots, events with their reasons,
// statistics, the analysis of the model. The page loads nothing from elsewhere.
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include <saltus/io/result_file.hpp>

namespace saltus {

struct ReportOptions {
  /// Variables drawn at first; empty: up to 12 that vary. All others can be selected in the page.
  std::vector<std::string> show = {};
  /// Axes of the phase plane, horizontal and vertical; empty: the first two variables that vary.
  std::array<std::string, 2> plane = {};
  /// Size limit. Columns beyond it are left out, and the page says so.
  std::size_t most_bytes = std::size_t{200} << 20;
};

/// Writes the page. Returns false if the stream failed.
bool write_report(const ResultFile& result, std::ostream& out, const ReportOptions& options = {});
std::string report_html(const ResultFile& result, const ReportOptions& options = {});
/// Saves the page completely or not at all, as save_result. Throws FileError.
void save_report(const ResultFile& result, const std::string& path,
                 const ReportOptions& options = {});

}  // namespace saltus
