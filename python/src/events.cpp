// The table of events.
#include <pybind11/stl.h>

#include <saltus/trajectory/events.hpp>

#include "solutions.hpp"

namespace saltus::python {

namespace {

const Event& event_of(const Solution& s, std::size_t which) {
  if (which >= s.events().size()) throw py::index_error("no such event");
  return s.events()[which];
}

/// What is seen of every event in a table; the rest is asked for one by one.
py::list rows(const Solution& s) {
  py::list out;
  for (const Event& e : s.events()) {
    const EventInstant& instant = s.event_log.instant_of(e);
    out.append(py::make_tuple(e.t, e.name, std::string(name(e.kind)), e.direction,
                              instant.mode_before, instant.mode_after, guarantee_word(e),
                              e.terminal, e.instant, e.micro_step, e.cause, e.text, e.note));
  }
  return out;
}

/// The limits on one side of the instant of an event: values, and whether they exist (None: all do).
py::tuple limits(const py::object& self, std::size_t which, bool after) {
  const Solution& s = self.cast<const Solution&>();
  const EventInstant& instant = s.event_log.instant_of(event_of(s, which));
  const auto& present = after ? instant.plus_present : instant.minus_present;
  return py::make_tuple(view_of(after ? instant.x_plus : instant.x_minus, self),
                        present.empty() ? py::object(py::none()) : py::cast(present));
}

}  // namespace

void add_events(py::module_& m) {
  auto c =
      py::reinterpret_borrow<py::class_<Solution, std::shared_ptr<Solution>>>(m.attr("Solution"));
  c.def("events", rows);
  c.def("limits", limits);
  c.def("changes", [](const Solution& s, std::size_t which) {
    return changes_text(s.event_log, event_of(s, which));
  });
  c.def("explain",
        [](const Solution& s, std::size_t which) { return s.explain(event_of(s, which)); });
  c.def("event_times",
        [](const Solution& s, const std::string& name) { return s.event_times(name); });
  c.def("events_text",
        [](const Solution& s, std::size_t max_rows) { return to_text(s.event_log, max_rows); });
  c.def("switching", [](const Solution& s, const std::string& name) {
    const SwitchingView view = s.switching(name);
    return py::make_tuple(view.times, view.g);
  });
}

}  // namespace saltus::python
