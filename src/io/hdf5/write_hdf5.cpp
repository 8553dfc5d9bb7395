#include <cerrno>
#include <limits>
#include <vector>

#include <saltus/core/text.hpp>
#include <saltus/core/version.hpp>

#include "io/hdf5/group.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/result/replace_file.hpp"

namespace saltus::detail {

namespace {

template <class Range, class Get>
auto each(const Range& range, Get get) {
  std::vector<std::decay_t<decltype(get(*range.begin()))>> out;
  for (const auto& element : range) out.push_back(get(element));
  return out;
}

/// Relations, one per line.
std::string lines_of(const std::vector<std::string>& relations) { return join(relations, "\n"); }

void put_hdf5_table(const ResultTable& table, const Hdf5Group& to) {
  const std::size_t n = table.columns.size(), rows = table.times.size();
  to.numbers("time", table.times);
  to.texts("names", each(table.columns, [](const ResultColumn& c) { return c.name; }));
  to.texts("units", each(table.columns, [](const ResultColumn& c) { return c.unit; }));
  to.texts("descriptions",
           each(table.columns, [](const ResultColumn& c) { return c.description; }));
  std::vector<double> values;
  std::vector<std::uint8_t> present;
  values.reserve(n * rows);
  bool masked = false;
  for (const ResultColumn& column : table.columns) masked = masked || !column.present.empty();
  for (const ResultColumn& column : table.columns) {
    // No number that could be taken for one where there is none.
    for (std::size_t r = 0; r < rows; ++r)
      values.push_back(column.exists(r) ? column.values[r]
                                        : std::numeric_limits<double>::quiet_NaN());
    for (std::size_t r = 0; masked && r < rows; ++r) present.push_back(column.exists(r));
  }
  to.matrix("values", n, rows, values);
  if (masked) to.truths("present", n, rows, present);

  const Hdf5Handle group = to.group("segments");
  const Hdf5Group segments(group, to.path());
  const auto& s = table.segments;
  segments.texts("mode", each(s, [](const ResultSegment& x) { return x.mode; }));
  segments.texts("sliding", each(s, [](const ResultSegment& x) { return lines_of(x.sliding); }));
  segments.numbers("t_begin", each(s, [](const ResultSegment& x) { return x.t_begin; }));
  segments.numbers("t_end", each(s, [](const ResultSegment& x) { return x.t_end; }));
  segments.counts("first_row", each(s, [](const ResultSegment& x) { return x.first_row; }));
  segments.counts("n_rows", each(s, [](const ResultSegment& x) { return x.n_rows; }));
}

void put_hdf5_parameters(const ResultFile& result, const Hdf5Group& to) {
  using P = ResultParameter;
  to.texts("names", each(result.parameters, [](const P& p) { return p.name; }));
  to.texts("units", each(result.parameters, [](const P& p) { return p.unit; }));
  to.texts("descriptions", each(result.parameters, [](const P& p) { return p.description; }));
  to.numbers("values", each(result.parameters, [](const P& p) { return p.value; }));
}

void put_hdf5_events(const ResultFile& result, const Hdf5Group& to) {
  const auto& e = result.events;
  using R = ResultEvent;
  to.numbers("t", each(e, [](const R& x) { return x.what.t; }));
  to.counts("instant", each(e, [](const R& x) { return std::uint64_t{x.what.instant}; }));
  to.counts("micro_step", each(e, [](const R& x) { return std::uint64_t{x.what.micro_step}; }));
  to.texts("kind", each(e, [](const R& x) { return std::string(name(x.what.kind)); }));
  to.texts("name", each(e, [](const R& x) { return x.what.name; }));
  to.texts("text", each(e, [](const R& x) { return x.what.text; }));
  to.integers("direction", each(e, [](const R& x) { return x.what.direction; }));
  to.texts("guarantee", each(e, [](const R& x) { return guarantee_word(x.what); }));
  to.texts("cause", each(e, [](const R& x) { return x.what.cause; }));
  to.numbers("time_width", each(e, [](const R& x) { return x.what.time_width; }));
  to.numbers("hysteresis", each(e, [](const R& x) { return x.what.hysteresis; }));
  to.truths("waited", each(e, [](const R& x) { return std::uint8_t{x.what.waited}; }));
  to.truths("terminal", each(e, [](const R& x) { return std::uint8_t{x.what.terminal}; }));
  to.texts("note", each(e, [](const R& x) { return x.what.note; }));
  to.texts("changes", each(e, [](const R& x) { return x.changes; }));
  to.texts("explanation", each(e, [](const R& x) { return x.explanation; }));
}

void put_hdf5_instants(const ResultFile& result, const Hdf5Group& to) {
  const auto& i = result.instants;
  using R = ResultInstant;
  to.numbers("t", each(i, [](const R& x) { return x.t; }));
  to.texts("mode_before", each(i, [](const R& x) { return x.mode_before; }));
  to.texts("mode_after", each(i, [](const R& x) { return x.mode_after; }));
  to.texts("sliding_before", each(i, [](const R& x) { return lines_of(x.sliding_before); }));
  to.texts("sliding_after", each(i, [](const R& x) { return lines_of(x.sliding_after); }));
  to.counts("first_event", each(i, [](const R& x) { return std::uint64_t{x.first_event}; }));
  to.counts("n_events", each(i, [](const R& x) { return std::uint64_t{x.n_events}; }));
  to.truths("restarted", each(i, [](const R& x) { return std::uint8_t{x.restarted}; }));
  const std::size_t n = result.table.columns.size();
  const auto limits = [&](const char* name, const char* mask, auto values, auto flags) {
    std::vector<double> all;
    std::vector<std::uint8_t> present;
    for (const R& instant : i) {
      for (std::size_t v = 0; v < n; ++v) {
        const bool exists = (instant.*flags)[v] != 0;
        all.push_back(exists ? (instant.*values)[v] : std::numeric_limits<double>::quiet_NaN());
        present.push_back(exists);
      }
    }
    to.matrix(name, i.size(), n, all);
    to.truths(mask, i.size(), n, present);
  };
  limits("x_minus", "minus_present", &R::x_minus, &R::minus_present);
  limits("x_plus", "plus_present", &R::x_plus, &R::plus_present);
}

void put_hdf5_derivatives(const ResultDerivatives& derivatives, const Hdf5Group& to) {
  to.texts("parameters", derivatives.parameters);
  put_hdf5_table(derivatives.table, to);
  const auto& times = derivatives.event_times;
  const Hdf5Handle group = to.group("event_times");
  const Hdf5Group events(group, to.path());
  events.numbers("t", each(times, [](const EventTimeDerivative& e) { return e.t; }));
  events.texts("relation", each(times, [](const EventTimeDerivative& e) { return e.relation; }));
  std::vector<double> all;
  for (const EventTimeDerivative& e : times)
    all.insert(all.end(), e.derivatives.begin(), e.derivatives.end());
  events.matrix("derivatives", times.size(), derivatives.parameters.size(), all);
  if (derivatives.ends) {
    to.attribute("end_t", derivatives.ends->t);
    to.attribute("end_why", derivatives.ends->why);
  }
}

}  // namespace

void write_hdf5(const ResultFile& result, const std::string& path) {
  const Hdf5Session session;
  Hdf5Handle file = create_hdf5(path);
  {
    const Hdf5Group root(file, path);
    root.attribute("format", "saltus result");
    root.attribute("version", double{hdf5_layout_version});
    root.attribute("saltus_version", std::string(library_version()));
    root.attribute("model", result.model);
    put_hdf5_table(result.table, root);
    const auto below = [&](const char* name, auto put, const auto& what) {
      const Hdf5Handle group = root.group(name);
      put(what, Hdf5Group(group, path));
    };
    below("parameters", put_hdf5_parameters, result);
    below("events", put_hdf5_events, result);
    below("instants", put_hdf5_instants, result);
    if (!result.derivatives.empty())
      below("sensitivities", put_hdf5_derivatives, result.derivatives);
    root.text("report", result.report_json);
    root.text("report_text", result.report_text);
    root.text("analysis", result.analysis_json);
    root.text("analysis_text", result.analysis_text);
  }
  close_hdf5(file, path);
}

}  // namespace saltus::detail
