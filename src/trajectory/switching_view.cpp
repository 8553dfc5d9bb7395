#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus {

namespace {

[[noreturn]] void refuse_switching(const Solution& solution, std::string_view name) {
  std::vector<std::string_view> relations;
  for (const SwitchWork& watched : solution.report.switches) relations.push_back(watched.name);
  const std::string set = "set the option output.switching to its name or to \"all\"";
  if (std::ranges::find(relations, name) != relations.end())
    throw Error("the switching function of " + quote(name) + " was not recorded: " + set);
  const auto nearest = nearest_name(name, relations);
  throw Error("no relation is called " + quote(name) +
              (nearest ? "; did you mean " + quote(*nearest) + "?" : std::string()) +
              (relations.empty() ? ": the model does not switch" : ""));
}

/// Crossings of one relation, in the order of the run.
std::vector<double> crossings_of(const Solution& solution, std::string_view name) {
  const EventLog& log = solution.event_log;
  if (log.n_not_kept() > 0)
    throw Error("the margin of " + quote(name) +
                " to its next event is not known: " + std::to_string(log.n_not_kept()) +
                " events were not kept (events.keep); its values are in trajectory.column()");
  std::vector<double> times;
  for (const Event& event : log.events())
    if (event.name == name && event.direction != 0) times.push_back(event.t);
  return times;
}

/// Looks at points in the order of the run for places where |g| stops falling.
class MissSearch {
 public:
  void add(double t, double g) {
    if (std::abs(g) <= std::abs(last_g_) || !is_begun_) {
      is_falling_ = true;
    } else {
      settle();
      is_falling_ = false;
    }
    is_begun_ = true;
    last_t_ = t;
    last_g_ = g;
  }
  /// What comes next is not connected with what was.
  void interrupt() {
    settle();
    is_begun_ = false;
  }
  /// A point at or after a crossing: neither what led to it nor this is a miss.
  void add_crossing(double t, double g) {
    is_begun_ = false;
    add(t, g);
    is_falling_ = false;
  }
  std::optional<SwitchingView::Approach> nearest() const { return nearest_; }

 private:
  void settle() {
    if (!is_begun_ || !is_falling_) return;
    if (!nearest_ || std::abs(last_g_) < std::abs(nearest_->g)) nearest_ = {last_t_, last_g_};
  }
  bool is_begun_ = false;
  bool is_falling_ = false;
  double last_t_ = 0.0;
  double last_g_ = 0.0;
  std::optional<SwitchingView::Approach> nearest_;
};

/// Points of a segment, along its steps if there are any, else its rows.
std::vector<SwitchingView::Approach> points_of(const Trajectory& trajectory, const Segment& segment,
                                               std::uint32_t variable) {
  constexpr int points_per_step = 8;
  std::vector<SwitchingView::Approach> points;
  for (std::uint32_t k = segment.first_step; k < segment.first_step + segment.n_steps; ++k) {
    const StepPolynomial step = trajectory.step(k);
    const double length = step.t_right - step.t_left;
    for (int j = points.empty() ? 0 : 1; j <= (length == 0 ? 0 : points_per_step); ++j) {
      const double s = static_cast<double>(j) / points_per_step;
      double g = 0.0;
      for (int p = step.degree; p >= 0; --p) g = g * s + step.coefficient(p, variable);
      points.push_back({j == points_per_step ? step.t_right : step.t_left + s * length, g});
    }
  }
  if (segment.n_steps > 0) return points;
  for (std::uint32_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r)
    points.push_back({trajectory.times()[r], trajectory.row(r)[variable]});
  return points;
}

std::optional<SwitchingView::Approach> nearest_miss_of(const Trajectory& trajectory,
                                                       std::uint32_t variable,
                                                       std::span<const double> crossings) {
  MissSearch search;
  for (const Segment& segment : trajectory.segments()) {
    if (!segment.present[variable]) {
      search.interrupt();
      continue;
    }
    double t_before = segment.t_begin;
    for (const auto& [t, g] : points_of(trajectory, segment, variable)) {
      const auto [low, high] = std::minmax(t_before, t);
      const bool is_crossed =
          std::ranges::any_of(crossings, [&](double c) { return c == t || (low < c && c < high); });
      if (is_crossed) {
        search.add_crossing(t, g);
      } else {
        search.add(t, g);
      }
      t_before = t;
    }
  }
  search.interrupt();
  return search.nearest();
}

}  // namespace

SwitchingView Solution::switching(std::string_view name) const {
  const auto variable = trajectory.find(name);
  // A relation that no mode of the run had was never watched, but its column says what it is.
  const bool is_relation =
      variable &&
      (std::ranges::find(report.switches, name, &SwitchWork::name) != report.switches.end() ||
       trajectory.variables()[*variable].switching);
  if (!is_relation) refuse_switching(*this, name);
  const std::vector<double> crossings = crossings_of(*this, name);
  const auto passed = [&](double a, double b) { return trajectory.backward() ? a > b : a < b; };

  SwitchingView view;
  view.name = name;
  std::size_t next = 0;
  const auto segments = trajectory.segments();
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const Segment& segment = segments[k];
    const bool is_between = segment.t_begin == segment.t_end && k + 1 < segments.size();
    for (std::uint32_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r) {
      const double t = trajectory.times()[r];
      const bool begins_here = k > 0 && t == segment.t_begin && !is_between;
      while (next < crossings.size() &&
             (passed(crossings[next], t) || (begins_here && crossings[next] == t)))
        ++next;
      if (!segment.present[*variable]) continue;
      view.times.push_back(t);
      view.g.push_back(trajectory.row(r)[*variable]);
      if (next < crossings.size()) {
        view.next_event.emplace_back(crossings[next]);
        view.margin.emplace_back(std::abs(crossings[next] - t));
      } else {
        view.next_event.emplace_back(std::nullopt);
        view.margin.emplace_back(std::nullopt);
      }
    }
  }
  view.nearest_miss = nearest_miss_of(trajectory, *variable, crossings);
  return view;
}

}  // namespace saltus
