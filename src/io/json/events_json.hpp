// Events in JSON.
#pragma once

#include <saltus/core/json_writer.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus::detail {

/// Members "switches" and "events" of a report.
void put_event_report(const RunReport& report, JsonWriter& json);

/// Members "events", "instants" and "n_events_not_kept" of a run; null without a log.
void put_event_log(const EventLog* log, const Trajectory& trajectory, JsonWriter& json);

}  // namespace saltus::detail
