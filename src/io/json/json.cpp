#include <saltus/io/json.hpp>

#include <sstream>

#include <saltus/core/json_writer.hpp>

#include "io/json/derivatives_json.hpp"
#include "io/json/events_json.hpp"
#include "io/result/derivatives.hpp"

namespace saltus {

namespace {

std::uint64_t as_count(std::uint32_t n) { return n; }

void put_counts(const WorkCounts& work, JsonWriter& json) {
  json.open_object();
  json.member("n_steps", work.n_steps);
  json.member("n_error_failures", work.n_error_failures);
  json.member("n_convergence_failures", work.n_convergence_failures);
  json.member("n_refused_points", work.n_refused_points);
  json.member("n_evaluations", work.n_evaluations);
  json.member("n_jacobians", work.n_jacobians);
  json.member("n_factorizations", work.n_factorizations);
  json.member("n_newton_iterations", work.n_newton_iterations);
  json.member("n_starts", work.n_starts);
  json.member("n_corrections", work.n_corrections);
  json.member("largest_correction", work.largest_correction);
  json.member("last_step", work.last_step);
  json.member("next_step", work.next_step);
  json.member("last_order", static_cast<double>(work.last_order));
  json.member("next_order", static_cast<double>(work.next_order));
  json.close_object();
}

void put_texts(std::string_view key, const std::vector<std::string>& texts, JsonWriter& json) {
  json.key(key);
  json.open_array();
  for (const std::string& text : texts) json.value(std::string_view(text));
  json.close_array();
}

void put_choices(const RunReport& report, JsonWriter& json) {
  json.key("options");
  json.open_array();
  for (const OptionPair& option : report.options) {
    json.open_object();
    json.member("name", option.name);
    json.member("given", option.given);
    json.member("default", option.default_value);
    json.member("changed", option.changed);
    json.close_object();
  }
  json.close_array();
  json.key("choices");
  json.open_array();
  for (const DecisionRecord& choice : report.choices) {
    json.open_object();
    json.member("name", choice.name);
    json.member("given", choice.given);
    json.member("used", choice.used);
    json.member("reason", choice.reason);
    json.close_object();
  }
  json.close_array();
}

void put_invariants(const RunReport& report, JsonWriter& json) {
  json.key("invariants");
  json.open_array();
  for (const InvariantRecord& invariant : report.invariants) {
    json.open_object();
    json.member("name", invariant.name);
    json.member("unit", invariant.unit);
    json.member("initial", invariant.initial);
    json.member("last", invariant.last);
    json.member("largest_deviation", invariant.largest_deviation);
    json.member("t_largest", invariant.t_largest);
    json.close_object();
  }
  json.close_array();
}

void put_modes(const RunReport& report, JsonWriter& json) {
  json.key("modes");
  json.open_array();
  for (const ModeVisit& visit : report.modes) {
    json.open_object();
    json.member("mode", visit.mode);
    json.member("n_stays", visit.n_stays);
    json.member("n_tentative", visit.n_tentative);
    json.member("duration", visit.duration);
    json.member("n_analyses", visit.n_analyses);
    json.member("n_reductions", visit.n_reductions);
    json.member("values", visit.values);
    put_texts("sliding", visit.sliding, json);
    json.member("form", visit.form);
    json.close_object();
  }
  json.close_array();
}

void put_report(const RunReport& report, JsonWriter& json) {
  json.open_object();
  json.member("model", report.model);
  json.member("outcome", name(report.outcome));
  json.member("message", report.message);
  json.key("failure");
  if (report.failure) {
    json.value(name(*report.failure));
  } else {
    json.null();
  }
  json.member("t_begin", report.t_begin);
  json.member("t_requested", report.t_requested);
  json.member("t_reached", report.t_reached);
  json.member("wall_time_s", report.wall_time_s);
  put_choices(report, json);
  json.key("work");
  json.open_array();
  for (const ModeWork& entry : report.work) {
    json.open_object();
    json.member("mode", entry.mode);
    put_texts("sliding", entry.sliding, json);
    json.member("engine", entry.engine);
    json.member("linear_solver", entry.linear_solver);
    json.member("n_unknowns", as_count(entry.n_unknowns));
    json.key("counts");
    put_counts(entry.work, json);
    json.close_object();
  }
  json.close_array();
  json.key("total_work");
  put_counts(report.total_work(), json);
  put_modes(report, json);
  put_invariants(report, json);
  detail::put_event_report(report, json);
  json.key("warnings");
  json.open_array();
  for (const std::string& warning : report.warnings) json.value(std::string_view(warning));
  json.close_array();
  json.close_object();
}

void put_segments(const Trajectory& trajectory, JsonWriter& json) {
  json.key("segments");
  json.open_array();
  for (const Segment& segment : trajectory.segments()) {
    json.open_object();
    json.member("mode", segment.mode);
    put_texts("sliding", segment.sliding, json);
    json.member("t_begin", segment.t_begin);
    json.member("t_end", segment.t_end);
    json.member("first_row", as_count(segment.first_row));
    json.member("n_rows", as_count(segment.n_rows));
    json.key("absent");
    json.open_array();
    for (std::size_t i = 0; i < segment.present.size(); ++i)
      if (!segment.present[i]) json.value(std::string_view(trajectory.variables()[i].name));
    json.close_array();
    json.close_object();
  }
  json.close_array();
}

void put_trajectory(const Trajectory& trajectory, JsonWriter& json) {
  json.open_object();
  json.key("variables");
  json.open_array();
  for (const VariableInfo& variable : trajectory.variables()) {
    json.open_object();
    json.member("name", variable.name);
    json.member("unit", variable.unit);
    json.member("description", variable.description);
    json.close_object();
  }
  json.close_array();
  put_segments(trajectory, json);
  json.key("times");
  json.open_array();
  for (const double t : trajectory.times()) json.value(t);
  json.close_array();
  json.key("values");
  json.open_object();
  for (std::uint32_t i = 0; i < trajectory.variables().size(); ++i) {
    json.key(trajectory.variables()[i].name);
    json.open_array();
    for (const Segment& segment : trajectory.segments()) {
      for (std::uint32_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r) {
        if (segment.present[i]) {
          json.value(trajectory.row(r)[i]);
        } else {
          json.null();
        }
      }
    }
    json.close_array();
  }
  json.close_object();
  json.close_object();
}

/// At the rows of the trajectory; null where a derivative is not known, or none was asked for.
void put_sensitivities(const Sensitivities* sensitivities, const Trajectory& trajectory,
                       JsonWriter& json) {
  json.key("sensitivities");
  if (sensitivities == nullptr || sensitivities->parameters().empty()) {
    json.null();
    return;
  }
  json.open_object();
  put_texts("parameters", sensitivities->parameters(), json);
  json.key("values");
  json.open_object();
  const ResultTable table = detail::derivatives_at_rows(*sensitivities, table_of(trajectory));
  for (const ResultColumn& column : table.columns) {
    json.key(column.name);
    json.open_array();
    for (std::size_t r = 0; r < column.values.size(); ++r) {
      if (column.exists(r)) {
        json.value(column.values[r]);
      } else {
        json.null();
      }
    }
    json.close_array();
  }
  json.close_object();
  detail::put_event_times("event_times", sensitivities->event_times(), json);
  detail::put_no_derivative("ends", sensitivities->ends(), json);
  json.close_object();
}

bool put_run(const Trajectory& trajectory, const RunReport& report, const EventLog* log,
             const Sensitivities* sensitivities, std::ostream& out) {
  JsonWriter json(out);
  json.open_object();
  json.key("report");
  put_report(report, json);
  json.key("trajectory");
  put_trajectory(trajectory, json);
  detail::put_event_log(log, trajectory, json);
  put_sensitivities(sensitivities, trajectory, json);
  json.close_object();
  return json.finish();
}

}  // namespace

bool write_json(const Solution& solution, std::ostream& out) {
  return put_run(solution.trajectory, solution.report, &solution.event_log, &solution.sensitivities,
                 out);
}

bool write_json(const Trajectory& trajectory, const RunReport& report, std::ostream& out) {
  return put_run(trajectory, report, nullptr, nullptr, out);
}

std::string to_json(const Solution& solution) {
  std::ostringstream out;
  write_json(solution, out);
  return std::move(out).str();
}

std::string to_json(const Trajectory& trajectory, const RunReport& report) {
  std::ostringstream out;
  write_json(trajectory, report, out);
  return std::move(out).str();
}

std::string to_json(const RunReport& report) {
  std::ostringstream out;
  JsonWriter json(out);
  put_report(report, json);
  json.finish();
  return std::move(out).str();
}

}  // namespace saltus
