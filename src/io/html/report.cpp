#include <saltus/io/report.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <span>
#include <sstream>

#include <saltus/core/json_writer.hpp>
#include <saltus/core/text.hpp>

#include "io/html/assets.hpp"
#include "io/html/page.hpp"
#include "io/json/derivatives_json.hpp"
#include "io/result/replace_file.hpp"

namespace saltus {

namespace {

using detail::put_base64_block;
using detail::put_json_block;

/// What is left after columns that do not fit: their names, and those that stay.
struct PageColumns {
  std::vector<const ResultColumn*> kept;
  std::size_t n_left_out = 0;

  PageColumns(const ResultTable& table, std::size_t most_bytes) {
    const std::size_t each = std::max<std::size_t>(1, table.times.size() * sizeof(double));
    const std::size_t most = most_bytes / each;
    for (const ResultColumn& column : table.columns)
      if (kept.size() < most) kept.push_back(&column);
    n_left_out = table.columns.size() - kept.size();
  }
};

void page_table(const ResultTable& table, const PageColumns& fitting, std::string_view id,
                JsonWriter& json) {
  json.open_object();
  json.member("id", id);
  json.key("columns");
  json.open_array();
  for (const ResultColumn* column : fitting.kept) {
    json.open_object();
    json.member("name", column->name);
    json.member("unit", column->unit);
    json.member("description", column->description);
    json.member("absent", !column->present.empty());
    json.member("switching", column->is_switching());
    json.close_object();
  }
  json.close_array();
  json.key("segments");
  json.open_array();
  for (const ResultSegment& segment : table.segments) {
    json.open_object();
    json.member("mode", segment.mode);
    json.key("sliding");
    json.open_array();
    for (const std::string& relation : segment.sliding) json.value(std::string_view(relation));
    json.close_array();
    json.member("t_begin", segment.t_begin);
    json.member("t_end", segment.t_end);
    json.member("first_row", segment.first_row);
    json.member("n_rows", segment.n_rows);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

void page_columns(std::ostream& out, const ResultTable& table, const PageColumns& fitting,
                  const std::string& id) {
  put_base64_block(out, id + "-time", table.times);
  std::vector<double> values;
  for (std::size_t i = 0; i < fitting.kept.size(); ++i) {
    const ResultColumn& column = *fitting.kept[i];
    values = column.values;
    for (std::size_t r = 0; r < values.size(); ++r)
      if (!column.exists(r)) values[r] = std::numeric_limits<double>::quiet_NaN();
    put_base64_block(out, id + "-" + std::to_string(i), values);
  }
}

void page_limits(const char* key, const std::vector<double>& values,
                 const std::vector<std::uint8_t>& present, std::size_t n, JsonWriter& json) {
  json.key(key);
  json.open_array();
  for (std::size_t i = 0; i < n; ++i) {
    if (i < present.size() && present[i] != 0) {
      json.value(values[i]);
    } else {
      json.null();
    }
  }
  json.close_array();
}

/// More are neither read nor seen, and a page with all of them would not open.
constexpr std::size_t most_page_instants = 5000;

std::size_t page_instants(const ResultFile& result) {
  return std::min(result.instants.size(), most_page_instants);
}
std::size_t page_event_count(const ResultFile& result) {
  const std::size_t n = page_instants(result);
  return n < result.instants.size() ? result.instants[n].first_event : result.events.size();
}

void page_events(const ResultFile& result, std::size_t n_columns, JsonWriter& json) {
  json.key("events");
  json.open_array();
  for (const ResultEvent& event :
       std::span<const ResultEvent>(result.events).first(page_event_count(result))) {
    json.open_object();
    json.member("t", event.what.t);
    json.member("instant", std::uint64_t{event.what.instant});
    json.member("kind", name(event.what.kind));
    json.member("name", event.what.name);
    json.member("direction", static_cast<double>(event.what.direction));
    json.member("guarantee", name(event.what.guarantee));
    json.member("changes", event.changes);
    json.member("explanation", event.explanation);
    json.close_object();
  }
  json.close_array();
  json.member("n_not_kept", std::uint64_t{result.events.size() - page_event_count(result)});
  json.key("instants");
  json.open_array();
  // Limits are for dots in the phase plane, of variables that one may look at there.
  const std::size_t n = std::min<std::size_t>(n_columns, 500);
  for (const ResultInstant& instant :
       std::span<const ResultInstant>(result.instants).first(page_instants(result))) {
    json.open_object();
    json.member("t", instant.t);
    json.member("first_event", std::uint64_t{instant.first_event});
    json.member("n_events", std::uint64_t{instant.n_events});
    page_limits("x_minus", instant.x_minus, instant.minus_present, n, json);
    page_limits("x_plus", instant.x_plus, instant.plus_present, n, json);
    json.close_object();
  }
  json.close_array();
}

void page_derivatives(const ResultDerivatives& derivatives, const PageColumns& fitting,
                      JsonWriter& json) {
  json.key("derivatives");
  if (derivatives.empty() || derivatives.table.times.empty()) {
    json.null();
  } else {
    page_table(derivatives.table, fitting, "derivative", json);
  }
  json.key("derivative_parameters");
  json.open_array();
  for (const std::string& parameter : derivatives.parameters)
    json.value(std::string_view(parameter));
  json.close_array();
  detail::put_event_times("event_time_derivatives", derivatives.event_times, json);
  detail::put_no_derivative("derivatives_end", derivatives.ends, json);
}

std::string data_json(const ResultFile& result, const PageColumns& fitting,
                      const PageColumns& derivatives, const ReportOptions& options) {
  std::ostringstream text;
  JsonWriter json(text);
  json.open_object();
  json.member("model", result.model);
  json.key("table");
  page_table(result.table, fitting, "column", json);
  page_events(result, fitting.kept.size(), json);
  page_derivatives(result.derivatives, derivatives, json);
  json.key("parameters");
  json.open_array();
  for (const ResultParameter& parameter : result.parameters) {
    json.open_object();
    json.member("name", parameter.name);
    json.member("unit", parameter.unit);
    json.member("description", parameter.description);
    json.member("value", parameter.value);
    json.close_object();
  }
  json.close_array();
  json.key("show");
  json.open_array();
  for (const std::string& variable : options.show) json.value(std::string_view(variable));
  json.close_array();
  json.key("plane");
  json.open_array();
  for (const std::string& variable : options.plane) json.value(std::string_view(variable));
  json.close_array();
  json.key("notices");
  json.open_array();
  if (fitting.n_left_out > 0)
    json.value(std::to_string(fitting.n_left_out) +
               " variables are not in this page because it would be too large; choose fewer with "
               "--variables.");
  if (page_instants(result) < result.instants.size())
    json.value("This page shows the events of the first " + std::to_string(page_instants(result)) +
               " of " + std::to_string(result.instants.size()) +
               " instants; a result file (HDF5) has all of them.");
  json.close_array();
  json.member("report_text", result.report_text);
  json.member("analysis_text", result.analysis_text);
  json.close_object();
  json.finish();
  return std::move(text).str();
}

}  // namespace

bool write_report(const ResultFile& result, std::ostream& out, const ReportOptions& options) {
  const PageColumns fitting(result.table, options.most_bytes);
  const PageColumns derivatives(result.derivatives.table, options.most_bytes / 4);
  detail::begin_page(out);
  put_json_block(out, "saltus-data", data_json(result, fitting, derivatives, options));
  put_json_block(out, "saltus-report", result.report_json);
  page_columns(out, result.table, fitting, "column");
  if (!result.derivatives.empty())
    page_columns(out, result.derivatives.table, derivatives, "derivative");
  detail::end_page(out, detail::report_script);
  out.flush();
  return out.good();
}

std::string report_html(const ResultFile& result, const ReportOptions& options) {
  std::ostringstream out;
  write_report(result, out, options);
  return std::move(out).str();
}

void save_report(const ResultFile& result, const std::string& path, const ReportOptions& options) {
  detail::write_stream_file(path,
                            [&](std::ostream& out) { return write_report(result, out, options); });
}

}  // namespace saltus
