#include <saltus/io/run_page.hpp>

#include <algorithm>
#include <limits>
#include <ostream>
#include <queue>
#include <span>
#include <sstream>

#include <saltus/core/json_writer.hpp>

#include "io/html/assets.hpp"
#include "io/html/page.hpp"
#include "io/html/run_statistics.hpp"
#include "io/result/replace_file.hpp"

namespace saltus {

namespace {

using detail::ColumnStatistics;

/// A number as random as any, the same for a run wherever it is asked for (splitmix64; Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators. OOPSLA 2014).
std::uint64_t lot_of(std::uint64_t run) {
  std::uint64_t z = (run + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// The lot that at most so many runs do not exceed. Every n-th run would see one row of a grid only.
std::uint64_t last_lot(std::uint64_t n_runs, std::size_t most) {
  if (n_runs <= most) return ~std::uint64_t{0};
  std::priority_queue<std::uint64_t> lots;
  for (std::uint64_t run = 0; run < n_runs; ++run) {
    const std::uint64_t lot = lot_of(run);
    if (lots.size() < most) {
      lots.push(lot);
    } else if (lot < lots.top()) {
      lots.pop();
      lots.push(lot);
    }
  }
  return lots.top();
}

struct RunPageData {
  std::vector<ColumnStatistics> columns;
  std::vector<std::uint64_t> n_absent;  // of complete runs
  std::uint64_t n_complete = 0, n_failed = 0;
  // Runs that are drawn.
  std::vector<double> runs, failed;
  std::vector<std::vector<double>> points;

  RunPageData(const RunTable& table, std::size_t most_points)
      : columns(table.columns.size()),
        n_absent(table.columns.size(), 0),
        points(table.columns.size()) {
    table.read([&](const RunRows& rows) {
      for (const RunEnding ending : rows.endings) {
        n_complete += ending == RunEnding::complete ? 1u : 0u;
        n_failed += ending == RunEnding::failed ? 1u : 0u;
      }
      for (std::size_t i = 0; i < columns.size(); ++i)
        columns[i].look_at(known(rows, i), rows.first);
    });
    for (ColumnStatistics& column : columns) column.choose_bars();
    // A page of more than some ten megabytes is slow to open.
    constexpr std::size_t most_numbers = 5'000'000;
    const std::size_t n_points =
        std::max<std::size_t>(1, std::min(most_points, most_numbers / (columns.size() + 2)));
    const std::uint64_t last = last_lot(table.n_runs, n_points);
    table.read([&](const RunRows& rows) {
      for (std::size_t i = 0; i < columns.size(); ++i) columns[i].count(known(rows, i));
      for (std::size_t r = 0; r < rows.size(); ++r)
        if (rows.endings[r] != RunEnding::missing && lot_of(rows.first + r) <= last)
          add_point(rows, r);
    });
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (!table.columns[i].varied)
        n_absent[i] = n_complete - std::min(n_complete, columns[i].n() + columns[i].n_infinite());
  }

 private:
  /// What was varied belongs to runs that were done.
  std::span<const double> known(const RunRows& rows, std::size_t column) {
    known_.assign(rows.columns[column].begin(), rows.columns[column].end());
    for (std::size_t r = 0; r < known_.size(); ++r)
      if (rows.endings[r] == RunEnding::missing)
        known_[r] = std::numeric_limits<double>::quiet_NaN();
    return known_;
  }
  void add_point(const RunRows& rows, std::size_t r) {
    runs.push_back(static_cast<double>(rows.first + r));
    failed.push_back(rows.endings[r] == RunEnding::failed ? 1.0 : 0.0);
    for (std::size_t i = 0; i < points.size(); ++i) points[i].push_back(rows.columns[i][r]);
  }
  std::vector<double> known_;
};

template <class Values>
void put_page_numbers(const char* name, const Values& values, JsonWriter& json) {
  json.key(name);
  json.open_array();
  for (const auto& v : values) json.value(v);
  json.close_array();
}

void put_page_column(const RunColumn& column, const ColumnStatistics& s, std::uint64_t n_absent,
                     JsonWriter& json) {
  json.open_object();
  json.member("name", column.name);
  json.member("varied", column.varied);
  json.member("n", s.n());
  json.member("n_absent", n_absent);
  json.member("n_infinite", s.n_infinite());
  if (s.n() > 0) {
    json.member("low", s.low());
    json.member("high", s.high());
    json.member("mean", s.mean());
    json.member("low_run", s.low_run());
    json.member("high_run", s.high_run());
  }
  json.member("logarithmic", s.is_logarithmic());
  std::vector<double> values;
  std::vector<std::uint64_t> counts;
  for (const auto& [value, count] : s.values()) {
    values.push_back(value);
    counts.push_back(count);
  }
  put_page_numbers("values", values, json);
  put_page_numbers("edges", s.edges(), json);
  put_page_numbers("bars", s.values().empty() ? s.bars() : counts, json);
  json.close_object();
}

std::string run_page_json(const RunTable& table, const RunPageData& data,
                          const RunPageOptions& options) {
  std::ostringstream text;
  JsonWriter json(text);
  json.open_object();
  json.member("model", table.title);
  json.member("command", options.command);
  json.member("n_runs", table.n_runs);
  json.member("n_complete", data.n_complete);
  json.member("n_failed", data.n_failed);
  json.member("n_points", std::uint64_t{data.runs.size()});
  json.key("columns");
  json.open_array();
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    put_page_column(table.columns[i], data.columns[i], data.n_absent[i], json);
  json.close_array();
  json.key("warnings");
  json.open_array();
  for (const std::string& warning : options.warnings) json.value(std::string_view(warning));
  json.close_array();
  json.key("failures");
  json.open_array();
  for (const RunPageOptions::Failures& f : options.failures) {
    json.open_object();
    json.member("reason", f.reason);
    json.member("n_runs", f.n_runs);
    json.member("example_run", f.example_run);
    json.close_object();
  }
  json.close_array();
  json.key("texts");
  json.open_array();
  for (const auto& [name, content] : table.texts) {
    json.open_object();
    json.member("name", name);
    json.member("text", content);
    json.close_object();
  }
  json.close_array();
  json.close_object();
  json.finish();
  return std::move(text).str();
}

}  // namespace

void save_runs_page(const RunTable& table, const std::string& path, const RunPageOptions& options) {
  const RunPageData data(table, options.most_points);
  detail::write_stream_file(path, [&](std::ostream& out) {
    detail::begin_page(out);
    detail::put_json_block(out, "saltus-data", run_page_json(table, data, options));
    detail::put_base64_block(out, "point-run", data.runs);
    detail::put_base64_block(out, "point-failed", data.failed);
    for (std::size_t i = 0; i < data.points.size(); ++i)
      detail::put_base64_block(out, "point-" + std::to_string(i), data.points[i]);
    detail::end_page(out, detail::runs_script);
    return out.flush().good();
  });
}

}  // namespace saltus
