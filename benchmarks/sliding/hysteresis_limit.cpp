// Item 7: a hysteresis that becomes narrower tends to the solution that slides, with first order.
#include <algorithm>
#include <cmath>
#include <vector>

#include <saltus/saltus.hpp>

#include "sliding/sliding.hpp"
#include "support/measure.hpp"

namespace saltus::bench {
namespace {

/// A relay with a curved, moving surface; the motion on it depends on the weights of both sides.
void write_relay_on_a_curve(Model& m) {
  Expr x = m.state("x", 1.2), y = m.state("y", 0.2);
  const Cond above = m.named("relay", x - 0.3 * sin(y) - 0.1 * cos(m.time()) > 0.0);
  m.equation(der(x) == where(above, -1.0 - 0.3 * y, 1.5 - 0.2 * x));
  m.equation(der(y) == where(above, 1.0 - 0.5 * x, 0.3 - 0.6 * y));
}

/// The control: on the surface with the mean of both motions, which is another one.
Solution follow_the_mean(double from, double y_start, RunOptions o) {
  Model m("mean of both sides");
  Expr y = m.state("y", y_start);
  Expr x = 0.3 * sin(y) + 0.1 * cos(m.time());
  m.equation(der(y) == 0.5 * (1.0 - 0.5 * x) + 0.5 * (0.3 - 0.6 * y));
  o.t_begin = from;
  return simulate(m, o);
}

struct NarrowBand {
  double width;
  double error;    // along the surface, the largest at the times looked at
  double control;  // beside the mean of both motions
  std::uint64_t n_events;
};

}  // namespace

bool show_hysteresis_limit(int number) {
  constexpr double t_end = 4.0, tolerance = 1e-10;
  Item item(number);
  Model m("relay on a curve");
  write_relay_on_a_curve(m);
  RunOptions o = {
      .t_end = t_end, .rtol = tolerance, .atol = tolerance, .engine = EngineKind::dopri5};
  const Solution slides = simulate(m, o);
  item.holds(slides.ok()
                 ? "slides from " +
                       std::to_string(slides.instants().empty() ? 0.0 : slides.instants()[0].t) +
                       " on, " + std::to_string(slides.event_log.n_events()) + " event"
                 : slides.report.message,
             slides.ok() && !slides.instants().empty() &&
                 slides.event_log.n_events(EventKind::enter_sliding) == 1);
  if (!slides.ok() || slides.instants().empty()) return item.print();

  const double entry = slides.instants()[0].t;
  const Solution mean = follow_the_mean(entry, slides.at("y", entry), o);
  std::vector<NarrowBand> bands;
  double sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0;
  for (double width = 0.1; width > 2e-4; width /= std::sqrt(10.0)) {
    o.events.hysteresis = {{"relay", width}};
    const Solution switches = simulate(m, o);
    if (!switches.ok()) {
      item.holds(switches.report.message, false);
      return item.print();
    }
    NarrowBand band{width, 0.0, 0.0, switches.event_log.n_events()};
    for (int k = 1; k <= 400; ++k) {
      const double t = entry + (t_end - entry) * k / 400;
      const double y = switches.at("y", t);
      band.error = std::max(band.error, std::abs(y - slides.at("y", t)));
      band.control = std::max(band.control, std::abs(y - mean.at("y", t)));
    }
    bands.push_back(band);
    std::printf("   width %.2e: error %.2e (mean of both sides %.2e), %llu events\n", band.width,
                band.error, band.control, static_cast<unsigned long long>(band.n_events));
    const double lx = std::log(band.width), ly = std::log(band.error);
    sum_x += lx;
    sum_y += ly;
    sum_xx += lx * lx;
    sum_xy += lx * ly;
  }
  const double n = static_cast<double>(bands.size());
  const double order = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
  item.at_most("order of hysteresis beside 1", std::abs(order - 1.0), 0.1);
  item.at_least("the control stays away", bands.back().control / bands.back().error, 100.0);
  item.at_least("events at the narrowest", static_cast<double>(bands.back().n_events), 1000.0);
  return item.print();
}

}  // namespace saltus::bench
