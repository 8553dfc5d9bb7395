// How event times move with parameters, and where derivatives end: the same in result files and in pages.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <saltus/core/json_writer.hpp>
#include <saltus/trajectory/sensitivity.hpp>

namespace saltus::detail {

inline void put_event_times(std::string_view key, std::span<const EventTimeDerivative> events,
                            JsonWriter& json) {
  json.key(key);
  json.open_array();
  for (const EventTimeDerivative& event : events) {
    json.open_object();
    json.member("t", event.t);
    json.member("relation", event.relation);
    json.key("derivatives");
    json.open_array();
    for (const double value : event.derivatives) json.value(value);
    json.close_array();
    json.close_object();
  }
  json.close_array();
}

/// null: they are known to the end.
inline void put_no_derivative(std::string_view key, const std::optional<NoDerivative>& from,
                              JsonWriter& json) {
  json.key(key);
  if (!from) {
    json.null();
    return;
  }
  json.open_object();
  json.member("t", from->t);
  json.member("why", from->why);
  json.close_object();
}

}  // namespace saltus::detail
